#include "quic/tls/tls_session.h"

#include <ngtcp2/ngtcp2.h>
#include <ngtcp2/ngtcp2_crypto.h>
#include <ngtcp2/ngtcp2_crypto_boringssl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/random_source.h"
#include "base/timestamp.h"
#include "quic/codec/grease_parameter.h"
#include "quic/codec/transport_parameter_error.h"
#include "quic/codec/transport_parameters.h"
#include "quic/codec/transport_parameters_decoder.h"
#include "quic/codec/transport_parameters_encoder.h"
#include "quic/tls/application_protocols.h"
#include "quic/tls/ngtcp2_parameters.h"
#include "quic/tls/packet_key_installer.h"
#include "quic/tls/tls_clock.h"

extern "C" {
#include "crypto/shared.h"
}

namespace sluice {

const SSL_QUIC_METHOD TlsSession::kMethod = {
    &TlsSession::SetReadSecret, &TlsSession::SetWriteSecret, &TlsSession::AddHandshakeData,
    &TlsSession::FlushFlight,   &TlsSession::SendAlert,
};

TlsSession::TlsSession(bssl::UniquePtr<SSL> ssl, const ApplicationProtocols& protocols,
                       int64_t unix_seconds_at_zero, RandomSource& random)
    : protocols_(protocols),
      unix_seconds_at_zero_(unix_seconds_at_zero),
      random_(random),
      ssl_(std::move(ssl)) {
  SLUICE_CHECK(SSL_set_quic_method(ssl_.get(), &kMethod) == 1);
  SSL_set_app_data(ssl_.get(), this);
}

void TlsSession::Bind(ngtcp2_conn& conn) {
  conn_ = &conn;
  ngtcp2_conn_set_tls_native_handle(&conn, ssl_.get());
}

int64_t TlsSession::SecondsAt(Timestamp now) const {
  return unix_seconds_at_zero_ + now.us() / 1'000'000;
}

int TlsSession::StartClient(Timestamp now) {
  if (ngtcp2_crypto_derive_and_install_initial_key(
          conn_, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
          ngtcp2_conn_get_client_chosen_version(conn_), ngtcp2_conn_get_dcid(conn_)) != 0) {
    return NGTCP2_ERR_CALLBACK_FAILURE;
  }
  // A client's are final from the beginning, and ClientHello is what is written now.
  if (!SayOwnParameters()) return NGTCP2_ERR_CALLBACK_FAILURE;
  return Drive(now, NGTCP2_ENCRYPTION_LEVEL_INITIAL, {}) == 0 ? 0 : NGTCP2_ERR_CALLBACK_FAILURE;
}

int TlsSession::HandleCryptoData(Timestamp now, ngtcp2_encryption_level level,
                                 absl::Span<const uint8_t> data) {
  if (Drive(now, level, data) == 0) return 0;
  // What a callback below noted says more than the alert that BoringSSL made of it.
  const int noted = ngtcp2_conn_get_tls_error(conn_);
  return noted != 0 ? noted : NGTCP2_ERR_CRYPTO;
}

int TlsSession::Drive(Timestamp now, ngtcp2_encryption_level level,
                      absl::Span<const uint8_t> data) {
  const ScopedTlsTime time(SecondsAt(now));
  const int result = ngtcp2_crypto_read_write_crypto_data(conn_, level, data.data(), data.size());
  // Else the next connection of this thread would take them for its own.
  ERR_clear_error();
  return result;
}

void TlsSession::ShedHandshake() { SSL_set_shed_handshake_config(ssl_.get(), 1); }

bool TlsSession::may_send_early_data() const {
  const SSL_SESSION* session = SSL_get_session(ssl_.get());
  return !is_server() && session != nullptr && SSL_SESSION_early_data_capable(session) == 1;
}

bool TlsSession::Fail(int error) {
  ngtcp2_conn_set_tls_error(conn_, error);
  return false;
}

bool TlsSession::ReadPeerParameters() {
  const uint8_t* block = nullptr;
  size_t size = 0;
  SSL_get_peer_quic_transport_params(ssl_.get(), &block, &size);
  TransportParameterError error;
  const Endpoint peer = is_server() ? Endpoint::kClient : Endpoint::kServer;
  std::optional<TransportParameters> said =
      DecodeTransportParameters(absl::MakeConstSpan(block, size), peer, error);
  if (!said.has_value()) {
    parameter_error_ = error;
    return Fail(NGTCP2_ERR_MALFORMED_TRANSPORT_PARAM);
  }
  // ngtcp2 gets what we understood, in the one form that it understands in the same way. It
  // compares connection ids and versions with those of packets, which we cannot.
  LimitForNgtcp2(*said);
  TransportParametersBuffer buffer;
  const absl::Span<const uint8_t> understood = EncodeTransportParameters(*said, buffer);
  const int result = ngtcp2_conn_decode_and_set_remote_transport_params(conn_, understood.data(),
                                                                        understood.size());
  return result == 0 || Fail(result);
}

bool TlsSession::AdoptProtocol() {
  const uint8_t* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl_.get(), &name, &size);
  protocol_ = protocols_.Find(absl::string_view(reinterpret_cast<const char*>(name), size));
  // BoringSSL lets nobody select what was not offered; a server selects from the same list.
  if (protocol_ == nullptr) return Fail(NGTCP2_ERR_INTERNAL);
  if (!is_server()) return true;
  ngtcp2_transport_params params = *ngtcp2_conn_get_local_transport_params(conn_);
  SetEndpointParameters(protocol_->protocol.parameters, params);
  const int result = ngtcp2_conn_set_local_transport_params(conn_, &params);
  return result == 0 || Fail(result);
}

bool TlsSession::SayOwnParameters() {
  const ngtcp2_transport_params& params = *ngtcp2_conn_get_local_transport_params(conn_);
  ConnectionParameters own = ConnectionParametersOf(params);
  own.grease = GreaseParameter::Draw(random_);
  const ApplicationProtocols::Entry& entry = protocol_ != nullptr ? *protocol_ : protocols_.best();
  TransportParametersBuffer buffer;
  const absl::Span<const uint8_t> block = entry.transport_parameters.Encode(own, buffer);
  return SSL_set_quic_transport_params(ssl_.get(), block.data(), block.size()) == 1 ||
         Fail(NGTCP2_ERR_NOMEM);
}

TlsSession& TlsSession::Of(SSL* ssl) { return *static_cast<TlsSession*>(SSL_get_app_data(ssl)); }

int TlsSession::SetReadSecret(SSL* ssl, ssl_encryption_level_t ssl_level,
                              const SSL_CIPHER* /*cipher*/, const uint8_t* secret, size_t size) {
  TlsSession& self = Of(ssl);
  const ngtcp2_encryption_level level =
      ngtcp2_crypto_boringssl_from_ssl_encryption_level(ssl_level);
  if (!self.is_server()) {
    // A client reads nothing at this level.
    if (level == NGTCP2_ENCRYPTION_LEVEL_0RTT) return 1;
    // The server's came with EncryptedExtensions, and Finished has proved them.
    if (level == NGTCP2_ENCRYPTION_LEVEL_1RTT &&
        (!self.AdoptProtocol() || !self.ReadPeerParameters())) {
      return 0;
    }
  }
  return InstallReadKey(*self.conn_, level, absl::MakeConstSpan(secret, size)) ? 1 : 0;
}

int TlsSession::SetWriteSecret(SSL* ssl, ssl_encryption_level_t ssl_level,
                               const SSL_CIPHER* /*cipher*/, const uint8_t* secret, size_t size) {
  TlsSession& self = Of(ssl);
  const ngtcp2_encryption_level level =
      ngtcp2_crypto_boringssl_from_ssl_encryption_level(ssl_level);
  if (!self.is_server()) {
    return InstallWriteKey(*self.conn_, level, absl::MakeConstSpan(secret, size)) ? 1 : 0;
  }
  // A server writes nothing at this level.
  if (level == NGTCP2_ENCRYPTION_LEVEL_0RTT) return 1;
  // A server's first secret: ServerHello is written and EncryptedExtensions, with our parameters,
  // is next. ngtcp2 makes ours final when it gets the key.
  const bool first = level == NGTCP2_ENCRYPTION_LEVEL_HANDSHAKE;
  if (first && (!self.ReadPeerParameters() || !self.AdoptProtocol())) return 0;
  if (!InstallWriteKey(*self.conn_, level, absl::MakeConstSpan(secret, size))) return 0;
  return !first || self.SayOwnParameters() ? 1 : 0;
}

int TlsSession::AddHandshakeData(SSL* ssl, ssl_encryption_level_t level, const uint8_t* data,
                                 size_t size) {
  TlsSession& self = Of(ssl);
  const int result = ngtcp2_conn_submit_crypto_data(
      self.conn_, ngtcp2_crypto_boringssl_from_ssl_encryption_level(level), data, size);
  return result == 0 || self.Fail(result) ? 1 : 0;
}

int TlsSession::FlushFlight(SSL* /*ssl*/) { return 1; }

int TlsSession::SendAlert(SSL* ssl, ssl_encryption_level_t /*level*/, uint8_t alert) {
  ngtcp2_conn_set_tls_alert(Of(ssl).conn_, alert);
  return 1;
}

}  // namespace sluice
