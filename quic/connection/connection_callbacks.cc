#include "quic/connection/connection_callbacks.h"

#include <ngtcp2/ngtcp2.h>
#include <ngtcp2/ngtcp2_crypto.h>

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/random_source.h"

namespace sluice {

// The C side. Parameters are as ngtcp2 declares them.
struct CallbackTable {
  static ConnectionCallbacks& Of(void* user_data) {
    return *static_cast<ConnectionCallbacks*>(user_data);
  }

  static int ClientInitial(ngtcp2_conn*, void* self) { return Of(self).OnClientInitial(); }
  static int CryptoData(ngtcp2_conn*, ngtcp2_encryption_level level, uint64_t /*offset*/,
                        const uint8_t* data, size_t size, void* self) {
    return Of(self).OnCryptoData(level, absl::MakeConstSpan(data, size));
  }
  static int HandshakeCompleted(ngtcp2_conn*, void* self) {
    return Of(self).OnHandshakeCompleted();
  }
  static int StreamOpen(ngtcp2_conn*, int64_t id, void* self) {
    Of(self).OnStreamOpened(id);
    return 0;
  }
  static int StreamData(ngtcp2_conn*, uint32_t flags, int64_t id, uint64_t /*offset*/,
                        const uint8_t* data, size_t size, void* self, void* /*stream*/) {
    Of(self).OnStreamData(id, absl::MakeConstSpan(data, size),
                          (flags & NGTCP2_STREAM_DATA_FLAG_FIN) != 0,
                          (flags & NGTCP2_STREAM_DATA_FLAG_0RTT) != 0);
    return 0;
  }
  static int Acknowledged(ngtcp2_conn*, int64_t /*id*/, uint64_t offset, uint64_t size, void* self,
                          void* stream) {
    Of(self).OnAcknowledged(offset + size, stream);
    return 0;
  }
  static int StreamClose(ngtcp2_conn*, uint32_t /*flags*/, int64_t id, uint64_t /*code*/,
                         void* self, void* stream) {
    Of(self).OnStreamClosed(id, stream);
    return 0;
  }
  static int StreamReset(ngtcp2_conn*, int64_t id, uint64_t /*final_size*/, uint64_t code,
                         void* self, void* /*stream*/) {
    Of(self).OnStreamReset(id, code);
    return 0;
  }
  static int NewConnectionId(ngtcp2_conn*, ngtcp2_cid* id, uint8_t* token, size_t /*size*/,
                             void* self) {
    Of(self).OnNewConnectionId(*id, absl::MakeSpan(token, NGTCP2_STATELESS_RESET_TOKENLEN));
    return 0;
  }
  static int RemoveConnectionId(ngtcp2_conn*, const ngtcp2_cid* id, void* self) {
    Of(self).OnRetiredConnectionId(*id);
    return 0;
  }
  static int PathValidation(ngtcp2_conn*, uint32_t flags, const ngtcp2_path*, const ngtcp2_path*,
                            ngtcp2_path_validation_result result, void* self) {
    if (result == NGTCP2_PATH_VALIDATION_RESULT_SUCCESS &&
        (flags & NGTCP2_PATH_VALIDATION_FLAG_NEW_TOKEN) != 0) {
      Of(self).OnTokenWanted();
    }
    return 0;
  }
  static int NewToken(ngtcp2_conn*, const uint8_t* token, size_t size, void* self) {
    Of(self).OnToken(absl::MakeConstSpan(token, size));
    return 0;
  }
  static int EarlyDataRejected(ngtcp2_conn*, void* self) {
    Of(self).OnEarlyDataRejected();
    return 0;
  }
  static int StatelessReset(ngtcp2_conn*, const ngtcp2_pkt_stateless_reset*, void* self) {
    Of(self).OnStatelessReset();
    return 0;
  }
  static int PathChallenge(ngtcp2_conn*, uint8_t* data, void* self) {
    Of(self).random_source().Fill(absl::MakeSpan(data, NGTCP2_PATH_CHALLENGE_DATALEN));
    return 0;
  }
  static void Random(uint8_t* out, size_t size, const ngtcp2_rand_ctx* context) {
    static_cast<RandomSource*>(context->native_handle)->Fill(absl::MakeSpan(out, size));
  }
};

ngtcp2_callbacks ConnectionCallbacks::Table() {
  ngtcp2_callbacks table = {};
  table.client_initial = CallbackTable::ClientInitial;
  table.recv_client_initial = ngtcp2_crypto_recv_client_initial_cb;
  table.recv_crypto_data = CallbackTable::CryptoData;
  table.handshake_completed = CallbackTable::HandshakeCompleted;
  table.encrypt = ngtcp2_crypto_encrypt_cb;
  table.decrypt = ngtcp2_crypto_decrypt_cb;
  table.hp_mask = ngtcp2_crypto_hp_mask_cb;
  table.recv_stream_data = CallbackTable::StreamData;
  table.acked_stream_data_offset = CallbackTable::Acknowledged;
  table.stream_open = CallbackTable::StreamOpen;
  table.stream_close = CallbackTable::StreamClose;
  table.recv_stateless_reset = CallbackTable::StatelessReset;
  table.recv_retry = ngtcp2_crypto_recv_retry_cb;
  table.rand = CallbackTable::Random;
  table.get_new_connection_id = CallbackTable::NewConnectionId;
  table.remove_connection_id = CallbackTable::RemoveConnectionId;
  table.update_key = ngtcp2_crypto_update_key_cb;
  table.path_validation = CallbackTable::PathValidation;
  table.stream_reset = CallbackTable::StreamReset;
  table.recv_new_token = CallbackTable::NewToken;
  table.delete_crypto_aead_ctx = ngtcp2_crypto_delete_crypto_aead_ctx_cb;
  table.delete_crypto_cipher_ctx = ngtcp2_crypto_delete_crypto_cipher_ctx_cb;
  table.get_path_challenge_data = CallbackTable::PathChallenge;
  table.version_negotiation = ngtcp2_crypto_version_negotiation_cb;
  table.tls_early_data_rejected = CallbackTable::EarlyDataRejected;
  return table;
}

ngtcp2_rand_ctx ConnectionCallbacks::RandomContext(RandomSource& random) {
  return {.native_handle = &random};
}

}  // namespace sluice
