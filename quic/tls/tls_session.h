#ifndef QUIC_TLS_TLS_SESSION_H_
#define QUIC_TLS_TLS_SESSION_H_

#include <ngtcp2/ngtcp2.h>
#include <openssl/base.h>
#include <openssl/ssl.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "base/random_source.h"
#include "base/timestamp.h"
#include "quic/codec/transport_parameter_error.h"
#include "quic/codec/transport_parameters.h"
#include "quic/tls/application_protocols.h"

namespace sluice {

// The TLS half of one QUIC connection (RFC 9001 section 4): stands between BoringSSL, which makes
// the handshake, and ngtcp2, which carries it. Ours are the transport parameters: what the peer
// says goes through our strict decoder before ngtcp2 sees it, and what is said is written by our
// encoder from what ngtcp2 has made final, with a reserved parameter.
//
// A server becomes what its protocol says when the client's offer is read: limits of the protocol
// that was selected replace those that `conn` was made with.
//
// When the peer is at fault, the callback that led here returns an error of ngtcp2, from which
// ngtcp2_ccerr_set_liberr makes the code that the connection is closed with. One thread.
class TlsSession {
 public:
  // `ssl` is of a TlsServerContext or TlsClientContext whose protocols these are; they and `random`
  // outlive the session. `unix_seconds_at_zero` is the wall clock's time at Timestamp::Zero(), by
  // which the age of tickets is counted; a server may take any.
  TlsSession(bssl::UniquePtr<SSL> ssl, const ApplicationProtocols& protocols,
             int64_t unix_seconds_at_zero, RandomSource& random);
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  // Ties it to its connection, before the first packet. `conn` outlives every other call.
  void Bind(ngtcp2_conn& conn);

  // ngtcp2's callback client_initial.
  [[nodiscard]] int StartClient(Timestamp now);
  // ngtcp2's callback recv_crypto_data.
  [[nodiscard]] int HandleCryptoData(Timestamp now, ngtcp2_encryption_level level,
                                     absl::Span<const uint8_t> data);

  // Once the handshake is done: gives back memory that is needed no more.
  void ShedHandshake();

  // What both speak, or null before that is known.
  const ApplicationProtocols::Entry* protocol() const { return protocol_; }
  // Why the peer's transport parameters were refused, when they were.
  const std::optional<TransportParameterError>& parameter_error() const { return parameter_error_; }
  // After the handshake: whether it began from a ticket; whether data that came before was taken.
  bool resumed() const { return SSL_session_reused(ssl_.get()) == 1; }
  bool early_data_accepted() const { return SSL_early_data_accepted(ssl_.get()) == 1; }
  // Whether the ticket that a client began from lets it send before the handshake.
  bool may_send_early_data() const;

 private:
  // What BoringSSL calls.
  static TlsSession& Of(SSL* ssl);
  static int SetReadSecret(SSL* ssl, ssl_encryption_level_t level, const SSL_CIPHER* cipher,
                           const uint8_t* secret, size_t size);
  static int SetWriteSecret(SSL* ssl, ssl_encryption_level_t level, const SSL_CIPHER* cipher,
                            const uint8_t* secret, size_t size);
  static int AddHandshakeData(SSL* ssl, ssl_encryption_level_t level, const uint8_t* data,
                              size_t size);
  static int FlushFlight(SSL* ssl);
  static int SendAlert(SSL* ssl, ssl_encryption_level_t level, uint8_t alert);

  static const SSL_QUIC_METHOD kMethod;

  bool is_server() const { return SSL_is_server(ssl_.get()) == 1; }
  int64_t SecondsAt(Timestamp now) const;
  int Drive(Timestamp now, ngtcp2_encryption_level level, absl::Span<const uint8_t> data);
  // Each is false after it noted why, for ngtcp2.
  bool ReadPeerParameters();
  bool AdoptProtocol();
  bool SayOwnParameters();
  bool Fail(int error);

  const ApplicationProtocols& protocols_;
  const int64_t unix_seconds_at_zero_;
  RandomSource& random_;
  ngtcp2_conn* conn_ = nullptr;
  const ApplicationProtocols::Entry* protocol_ = nullptr;
  std::optional<TransportParameterError> parameter_error_;
  bssl::UniquePtr<SSL> ssl_;
};

}  // namespace sluice

#endif  // QUIC_TLS_TLS_SESSION_H_
