#include "quic/tls/packet_key_installer.h"

#include <ngtcp2/ngtcp2.h>
#include <ngtcp2/ngtcp2_crypto.h>

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/secret_bytes.h"

extern "C" {
#include "crypto/shared.h"
}

namespace sluice {
namespace {

// At least what ngtcp2's largest cipher has: keys of 32 bytes, IVs of 12.
constexpr size_t kMaxKeySize = 64;
using KeyBytes = SecretBytes<kMaxKeySize>;

// Keys on their way to a connection, which owns them once it took them.
class Keys {
 public:
  Keys() = default;
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;
  ~Keys() {
    if (!owned_) return;
    ngtcp2_crypto_cipher_ctx_free(&header_);
    ngtcp2_crypto_aead_ctx_free(&packet_);
  }

  bool Derive(const ngtcp2_crypto_ctx& suite, uint32_t version, absl::Span<const uint8_t> secret,
              bool for_reading) {
    KeyBytes key;
    KeyBytes header_key;
    iv_size_ = ngtcp2_crypto_packet_protection_ivlen(&suite.aead);
    if (ngtcp2_crypto_derive_packet_protection_key(
            key.mutable_span().data(), iv_.mutable_span().data(), header_key.mutable_span().data(),
            version, &suite.aead, &suite.md, secret.data(), secret.size()) != 0) {
      return false;
    }
    const int made =
        for_reading
            ? ngtcp2_crypto_aead_ctx_decrypt_init(&packet_, &suite.aead, key.data(), iv_size_)
            : ngtcp2_crypto_aead_ctx_encrypt_init(&packet_, &suite.aead, key.data(), iv_size_);
    return made == 0 &&
           ngtcp2_crypto_cipher_ctx_encrypt_init(&header_, &suite.hp, header_key.data()) == 0;
  }

  // What the connection said to them.
  bool Taken(int result) {
    owned_ = result != 0;
    return result == 0;
  }

  const ngtcp2_crypto_aead_ctx* packet() const { return &packet_; }
  const ngtcp2_crypto_cipher_ctx* header() const { return &header_; }
  const uint8_t* iv() const { return iv_.data(); }
  size_t iv_size() const { return iv_size_; }

 private:
  ngtcp2_crypto_aead_ctx packet_ = {};
  ngtcp2_crypto_cipher_ctx header_ = {};
  KeyBytes iv_;
  size_t iv_size_ = 0;
  bool owned_ = true;
};

// The cipher suite that the connection uses at `level`, told to it when it does not know yet; null
// when QUIC has none like it.
const ngtcp2_crypto_ctx* SuiteOf(ngtcp2_conn& conn, ngtcp2_encryption_level level) {
  void* tls = ngtcp2_conn_get_tls_native_handle(&conn);
  ngtcp2_crypto_ctx suite;
  if (level == NGTCP2_ENCRYPTION_LEVEL_0RTT) {
    if (ngtcp2_crypto_ctx_tls_early(&suite, tls) == nullptr) return nullptr;
    ngtcp2_conn_set_0rtt_crypto_ctx(&conn, &suite);
    return ngtcp2_conn_get_0rtt_crypto_ctx(&conn);
  }
  const ngtcp2_crypto_ctx* known = ngtcp2_conn_get_crypto_ctx(&conn);
  if (known->aead.native_handle != nullptr) return known;
  if (ngtcp2_crypto_ctx_tls(&suite, tls) == nullptr) return nullptr;
  ngtcp2_conn_set_crypto_ctx(&conn, &suite);
  return ngtcp2_conn_get_crypto_ctx(&conn);
}

// RFC 9369 section 4.1: which version's labels and salts. 0-RTT is sent before one is negotiated.
uint32_t VersionOf(ngtcp2_conn& conn, ngtcp2_encryption_level level) {
  return level == NGTCP2_ENCRYPTION_LEVEL_0RTT ? ngtcp2_conn_get_client_chosen_version(&conn)
                                               : ngtcp2_conn_get_negotiated_version(&conn);
}

}  // namespace

bool InstallReadKey(ngtcp2_conn& conn, ngtcp2_encryption_level level,
                    absl::Span<const uint8_t> secret) {
  const ngtcp2_crypto_ctx* suite = SuiteOf(conn, level);
  Keys keys;
  if (suite == nullptr ||
      !keys.Derive(*suite, VersionOf(conn, level), secret, /*for_reading=*/true)) {
    return false;
  }
  switch (level) {
    case NGTCP2_ENCRYPTION_LEVEL_0RTT:
      return keys.Taken(ngtcp2_conn_install_0rtt_key(&conn, keys.packet(), keys.iv(),
                                                     keys.iv_size(), keys.header()));
    case NGTCP2_ENCRYPTION_LEVEL_HANDSHAKE:
      return keys.Taken(ngtcp2_conn_install_rx_handshake_key(&conn, keys.packet(), keys.iv(),
                                                             keys.iv_size(), keys.header()));
    case NGTCP2_ENCRYPTION_LEVEL_1RTT:
      return keys.Taken(ngtcp2_conn_install_rx_key(&conn, secret.data(), secret.size(),
                                                   keys.packet(), keys.iv(), keys.iv_size(),
                                                   keys.header()));
    case NGTCP2_ENCRYPTION_LEVEL_INITIAL:
      return false;
  }
  return false;
}

bool InstallWriteKey(ngtcp2_conn& conn, ngtcp2_encryption_level level,
                     absl::Span<const uint8_t> secret) {
  const ngtcp2_crypto_ctx* suite = SuiteOf(conn, level);
  Keys keys;
  if (suite == nullptr ||
      !keys.Derive(*suite, VersionOf(conn, level), secret, /*for_reading=*/false)) {
    return false;
  }
  switch (level) {
    case NGTCP2_ENCRYPTION_LEVEL_0RTT:
      return keys.Taken(ngtcp2_conn_install_0rtt_key(&conn, keys.packet(), keys.iv(),
                                                     keys.iv_size(), keys.header()));
    case NGTCP2_ENCRYPTION_LEVEL_HANDSHAKE:
      return keys.Taken(ngtcp2_conn_install_tx_handshake_key(&conn, keys.packet(), keys.iv(),
                                                             keys.iv_size(), keys.header()));
    case NGTCP2_ENCRYPTION_LEVEL_1RTT:
      return keys.Taken(ngtcp2_conn_install_tx_key(&conn, secret.data(), secret.size(),
                                                   keys.packet(), keys.iv(), keys.iv_size(),
                                                   keys.header()));
    case NGTCP2_ENCRYPTION_LEVEL_INITIAL:
      return false;
  }
  return false;
}

}  // namespace sluice
