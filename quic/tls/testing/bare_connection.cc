#include "quic/tls/testing/bare_connection.h"

#include <ngtcp2/ngtcp2.h>
#include <ngtcp2/ngtcp2_crypto.h>
#include <ngtcp2/ngtcp2_crypto_boringssl.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "base/check.h"
#include "base/random_source.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "quic/codec/transport_parameters.h"
#include "quic/tls/application_protocols.h"
#include "quic/tls/ngtcp2_parameters.h"
#include "quic/tls/tls_session.h"

extern "C" {
#include "crypto/shared.h"
}

namespace sluice {
namespace {

constexpr size_t kIdSize = 16;
constexpr size_t kMaxDatagram = 1452;

ngtcp2_tstamp Nanoseconds(Timestamp now) { return static_cast<uint64_t>(now.us()) * 1000; }

ngtcp2_cid DrawCid(RandomSource& random) {
  ngtcp2_cid cid;
  cid.datalen = kIdSize;
  random.Fill(absl::MakeSpan(cid.data, kIdSize));
  return cid;
}

struct Injection {
  BareConnection::Kind kind;
  std::vector<uint8_t> frames;
  bool reserved_bits;
};
// ngtcp2 does not say whose packet it is that it seals.
thread_local std::optional<Injection> injection;
struct Replacement {
  std::vector<uint8_t> what;
  std::vector<uint8_t> with;
};
thread_local std::optional<Replacement> replacement;
// What the packet that says nothing is shorter than the one it stands for.
thread_local size_t injection_saved = 0;

bool IsOfKind(uint8_t first, BareConnection::Kind kind) {
  switch (kind) {
    case BareConnection::Kind::kInitial:
      return (first & 0xb0) == 0x80;
    case BareConnection::Kind::kOneRtt:
      return (first & 0x80) == 0;
    case BareConnection::Kind::kZeroRtt:
      return (first & 0xb0) == 0x90;
    case BareConnection::Kind::kHandshake:
      return (first & 0xb0) == 0xa0;
  }
  return false;
}

bool HasLongNumber(uint8_t first) { return (first & 0x03) == 3; }

int EncryptWithInjection(uint8_t* out, const ngtcp2_crypto_aead* aead,
                         const ngtcp2_crypto_aead_ctx* context, const uint8_t* plain, size_t size,
                         const uint8_t* nonce, size_t nonce_size, const uint8_t* header,
                         size_t header_size) {
  if (replacement.has_value() && IsOfKind(header[0], BareConnection::Kind::kInitial)) {
    std::vector<uint8_t> instead(plain, plain + size);
    const auto found = std::search(instead.begin(), instead.end(), replacement->what.begin(),
                                   replacement->what.end());
    SLUICE_CHECK(found != instead.end());
    std::copy(replacement->with.begin(), replacement->with.end(), found);
    replacement.reset();
    return ngtcp2_crypto_encrypt_cb(out, aead, context, instead.data(), size, nonce, nonce_size,
                                    header, header_size);
  }
  if (!injection.has_value() || !IsOfKind(header[0], injection->kind) ||
      injection->frames.size() > size) {
    return ngtcp2_crypto_encrypt_cb(out, aead, context, plain, size, nonce, nonce_size, header,
                                    header_size);
  }
  std::vector<uint8_t> instead = injection->frames;
  if (instead.empty()) {
    SLUICE_CHECK(HasLongNumber(header[0]));
    injection_saved = size;
  } else {
    // Zeros are padding.
    instead.resize(size);
  }
  if (injection->reserved_bits) {
    // The header lies in the packet, where it is protected later.
    *const_cast<uint8_t*>(header) |= injection->kind == BareConnection::Kind::kOneRtt ? 0x18 : 0x0c;
  }
  injection.reset();
  return ngtcp2_crypto_encrypt_cb(out, aead, context, instead.data(), instead.size(), nonce,
                                  nonce_size, header, header_size);
}

// All in one place, on no network.
struct Path {
  ngtcp2_sockaddr_in local = {};
  ngtcp2_sockaddr_in remote = {};
  ngtcp2_path path = {};

  Path() {
    local.sin_family = remote.sin_family = AF_INET;
    path.local = {reinterpret_cast<ngtcp2_sockaddr*>(&local), sizeof(local)};
    path.remote = {reinterpret_cast<ngtcp2_sockaddr*>(&remote), sizeof(remote)};
  }
};

}  // namespace

void BareConnection::Adopt(bssl::UniquePtr<SSL> ssl, const ApplicationProtocols* protocols) {
  ssl_ = ssl.get();
  if (protocols != nullptr) {
    tls_.emplace(std::move(ssl), *protocols, 0, random_);
    return;
  }
  stock_ssl_ = std::move(ssl);
  reference_.user_data = this;
  reference_.get_conn = [](ngtcp2_crypto_conn_ref* reference) {
    return static_cast<BareConnection*>(reference->user_data)->conn_;
  };
  SSL_set_app_data(ssl_, &reference_);
}

int BareConnection::StartClient() {
  if (tls_.has_value()) return tls_->StartClient(now_);
  if (!block_.has_value()) return ngtcp2_crypto_client_initial_cb(conn_, nullptr);
  // As the stock callback does it, but for the bytes.
  if (ngtcp2_crypto_derive_and_install_initial_key(
          conn_, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
          ngtcp2_conn_get_client_chosen_version(conn_), ngtcp2_conn_get_dcid(conn_)) != 0 ||
      SSL_set_quic_transport_params(ssl_, block_->data(), block_->size()) != 1 ||
      ngtcp2_crypto_read_write_crypto_data(conn_, NGTCP2_ENCRYPTION_LEVEL_INITIAL, nullptr, 0) !=
          0) {
    return NGTCP2_ERR_CALLBACK_FAILURE;
  }
  return 0;
}

ngtcp2_callbacks BareConnection::Callbacks() const {
  ngtcp2_callbacks callbacks = {};
  callbacks.client_initial = [](ngtcp2_conn*, void* self) {
    return static_cast<BareConnection*>(self)->StartClient();
  };
  callbacks.recv_client_initial = ngtcp2_crypto_recv_client_initial_cb;
  callbacks.recv_crypto_data = [](ngtcp2_conn* conn, ngtcp2_encryption_level level, uint64_t offset,
                                  const uint8_t* data, size_t size, void* user) {
    auto* self = static_cast<BareConnection*>(user);
    if (self->tls_.has_value()) {
      return self->tls_->HandleCryptoData(self->now_, level, absl::MakeConstSpan(data, size));
    }
    return ngtcp2_crypto_recv_crypto_data_cb(conn, level, offset, data, size, user);
  };
  callbacks.encrypt = EncryptWithInjection;
  callbacks.decrypt = ngtcp2_crypto_decrypt_cb;
  callbacks.hp_mask = ngtcp2_crypto_hp_mask_cb;
  callbacks.recv_retry = ngtcp2_crypto_recv_retry_cb;
  callbacks.update_key = ngtcp2_crypto_update_key_cb;
  callbacks.delete_crypto_aead_ctx = ngtcp2_crypto_delete_crypto_aead_ctx_cb;
  callbacks.delete_crypto_cipher_ctx = ngtcp2_crypto_delete_crypto_cipher_ctx_cb;
  callbacks.version_negotiation = ngtcp2_crypto_version_negotiation_cb;
  callbacks.get_path_challenge_data = ngtcp2_crypto_get_path_challenge_data_cb;
  callbacks.rand = [](uint8_t* out, size_t size, const ngtcp2_rand_ctx* context) {
    static_cast<RandomSource*>(context->native_handle)->Fill(absl::MakeSpan(out, size));
  };
  callbacks.get_new_connection_id = [](ngtcp2_conn*, ngtcp2_cid* cid, uint8_t* token, size_t size,
                                       void* self) {
    RandomSource& random = static_cast<BareConnection*>(self)->random_;
    cid->datalen = size;
    random.Fill(absl::MakeSpan(cid->data, size));
    random.Fill(absl::MakeSpan(token, NGTCP2_STATELESS_RESET_TOKENLEN));
    return 0;
  };
  return callbacks;
}

void BareConnection::NewClient(Timestamp now, const EndpointParameters& parameters,
                               uint32_t first_packet_number) {
  now_ = now;
  ngtcp2_settings settings;
  ngtcp2_settings_default(&settings);
  settings.initial_ts = Nanoseconds(now);
  settings.rand_ctx.native_handle = &random_;
  settings.initial_pkt_num = first_packet_number;
  ngtcp2_transport_params params;
  ngtcp2_transport_params_default(&params);
  SetEndpointParameters(parameters, params);
  Path path;
  const ngtcp2_callbacks callbacks = Callbacks();
  const ngtcp2_cid scid = DrawCid(random_);
  const ngtcp2_cid dcid = DrawCid(random_);
  SLUICE_CHECK(ngtcp2_conn_client_new(&conn_, &dcid, &scid, &path.path, NGTCP2_PROTO_VER_V1,
                                      &callbacks, &settings, &params, nullptr, this) == 0);
}

bool BareConnection::NewServer(Timestamp now, absl::Span<const uint8_t> initial,
                               const EndpointParameters& parameters) {
  now_ = now;
  ngtcp2_pkt_hd header;
  if (ngtcp2_accept(&header, initial.data(), initial.size()) != 0) return false;
  ngtcp2_settings settings;
  ngtcp2_settings_default(&settings);
  settings.initial_ts = Nanoseconds(now);
  settings.rand_ctx.native_handle = &random_;
  ngtcp2_transport_params params;
  ngtcp2_transport_params_default(&params);
  SetEndpointParameters(parameters, params);
  params.original_dcid = header.dcid;
  params.original_dcid_present = 1;
  params.stateless_reset_token_present = 1;
  random_.Fill(absl::MakeSpan(params.stateless_reset_token));
  Path path;
  const ngtcp2_callbacks callbacks = Callbacks();
  const ngtcp2_cid scid = DrawCid(random_);
  SLUICE_CHECK(ngtcp2_conn_server_new(&conn_, &header.scid, &scid, &path.path, header.version,
                                      &callbacks, &settings, &params, nullptr, this) == 0);
  return true;
}

std::unique_ptr<BareConnection> BareConnection::Client(Timestamp now, bssl::UniquePtr<SSL> ssl,
                                                       const ApplicationProtocols& protocols,
                                                       RandomSource& random,
                                                       uint32_t first_packet_number) {
  std::unique_ptr<BareConnection> self(new BareConnection(random));
  self->NewClient(now, protocols.best().protocol.parameters, first_packet_number);
  self->Adopt(std::move(ssl), &protocols);
  self->tls_->Bind(*self->conn_);
  return self;
}

std::unique_ptr<BareConnection> BareConnection::Server(Timestamp now,
                                                       absl::Span<const uint8_t> initial,
                                                       bssl::UniquePtr<SSL> ssl,
                                                       const ApplicationProtocols& protocols,
                                                       RandomSource& random) {
  std::unique_ptr<BareConnection> self(new BareConnection(random));
  if (!self->NewServer(now, initial, protocols.best().protocol.parameters)) return nullptr;
  self->Adopt(std::move(ssl), &protocols);
  self->tls_->Bind(*self->conn_);
  return self;
}

std::unique_ptr<BareConnection> BareConnection::StockClient(
    Timestamp now, bssl::UniquePtr<SSL> ssl, const EndpointParameters& parameters,
    std::optional<std::vector<uint8_t>> block, RandomSource& random) {
  std::unique_ptr<BareConnection> self(new BareConnection(random));
  self->block_ = std::move(block);
  self->NewClient(now, parameters);
  self->Adopt(std::move(ssl), nullptr);
  ngtcp2_conn_set_tls_native_handle(self->conn_, self->ssl_);
  return self;
}

std::unique_ptr<BareConnection> BareConnection::StockServer(Timestamp now,
                                                            absl::Span<const uint8_t> initial,
                                                            bssl::UniquePtr<SSL> ssl,
                                                            const EndpointParameters& parameters,
                                                            RandomSource& random) {
  std::unique_ptr<BareConnection> self(new BareConnection(random));
  if (!self->NewServer(now, initial, parameters)) return nullptr;
  self->Adopt(std::move(ssl), nullptr);
  ngtcp2_conn_set_tls_native_handle(self->conn_, self->ssl_);
  return self;
}

BareConnection::~BareConnection() {
  if (conn_ != nullptr) ngtcp2_conn_del(conn_);
}

void BareConnection::InjectNext(Kind kind, std::vector<uint8_t> frames, bool reserved_bits) {
  injection = Injection{kind, std::move(frames), reserved_bits};
}

void BareConnection::ReplaceInNextInitial(std::vector<uint8_t> what, std::vector<uint8_t> with) {
  SLUICE_CHECK(what.size() == with.size());
  replacement = Replacement{std::move(what), std::move(with)};
}

bool BareConnection::injected() { return !injection.has_value(); }

std::vector<uint8_t> BareConnection::WriteStream(Timestamp now, size_t size) {
  now_ = now;
  int64_t id = 0;
  SLUICE_CHECK(ngtcp2_conn_open_bidi_stream(conn_, &id, nullptr) == 0);
  const std::vector<uint8_t> zeros(size);
  std::vector<uint8_t> out(kMaxDatagram);
  ngtcp2_path_storage path;
  ngtcp2_path_storage_zero(&path);
  ngtcp2_pkt_info info;
  ngtcp2_ssize taken = 0;
  const ngtcp2_ssize written =
      ngtcp2_conn_write_stream(conn_, &path.path, &info, out.data(), out.size(), &taken, 0, id,
                               zeros.data(), zeros.size(), Nanoseconds(now));
  SLUICE_CHECK(written > 0 && taken == static_cast<ngtcp2_ssize>(size));
  out.resize(static_cast<size_t>(written) - std::exchange(injection_saved, 0));
  return out;
}

std::vector<uint8_t> BareConnection::own_id() {
  ngtcp2_cid id;
  SLUICE_CHECK(ngtcp2_conn_get_scid(conn_, &id) == 1);
  return std::vector<uint8_t>(id.data, id.data + id.datalen);
}

bool BareConnection::Read(Timestamp now, absl::Span<const uint8_t> datagram) {
  now_ = now;
  Path path;
  ngtcp2_pkt_info info = {};
  const int result = ngtcp2_conn_read_pkt(conn_, &path.path, &info, datagram.data(),
                                          datagram.size(), Nanoseconds(now));
  if (result != 0 && error_ == 0) error_ = result;
  return result == 0;
}

std::vector<uint8_t> BareConnection::Write(Timestamp now) {
  now_ = now;
  std::vector<uint8_t> out(kMaxDatagram);
  ngtcp2_path_storage path;
  ngtcp2_path_storage_zero(&path);
  ngtcp2_pkt_info info;
  ngtcp2_ssize size = 0;
  if (error_ == 0) {
    if (ngtcp2_conn_get_expiry(conn_) <= Nanoseconds(now)) {
      error_ = ngtcp2_conn_handle_expiry(conn_, Nanoseconds(now));
    }
    size =
        ngtcp2_conn_write_pkt(conn_, &path.path, &info, out.data(), out.size(), Nanoseconds(now));
    ngtcp2_conn_update_pkt_tx_time(conn_, Nanoseconds(now));
    if (size < 0) error_ = static_cast<int>(size);
  } else if (!said_error_ && error_ != NGTCP2_ERR_DRAINING) {
    said_error_ = true;
    ngtcp2_ccerr error;
    ngtcp2_ccerr_default(&error);
    ngtcp2_ccerr_set_liberr(&error, error_, nullptr, 0);
    if (error_ == NGTCP2_ERR_CRYPTO) {
      ngtcp2_ccerr_set_tls_alert(&error, ngtcp2_conn_get_tls_alert(conn_), nullptr, 0);
    }
    size = ngtcp2_conn_write_connection_close(conn_, &path.path, &info, out.data(), out.size(),
                                              &error, Nanoseconds(now));
  }
  out.resize(size > 0 ? static_cast<size_t>(size) : 0);
  return out;
}

std::optional<uint64_t> BareConnection::close_code_received() {
  if (error_ != NGTCP2_ERR_DRAINING) return std::nullopt;
  return ngtcp2_conn_get_ccerr(conn_)->error_code;
}

Timestamp Exchange(BareConnection& a, BareConnection& b, Timestamp now, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    bool any = false;
    for (const auto& [from, to] : {std::pair(&a, &b), std::pair(&b, &a)}) {
      while (true) {
        const std::vector<uint8_t> datagram = from->Write(now);
        if (datagram.empty()) break;
        any = true;
        to->Read(now, datagram);
      }
    }
    now += TimeDelta::Millis(1);
    if (!any) break;
  }
  return now;
}

}  // namespace sluice
