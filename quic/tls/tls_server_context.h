#ifndef QUIC_TLS_TLS_SERVER_CONTEXT_H_
#define QUIC_TLS_TLS_SERVER_CONTEXT_H_

#include <openssl/base.h>
#include <openssl/ssl.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/random_source.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "quic/tls/application_protocols.h"
#include "quic/tls/certificate_chain.h"
#include "quic/tls/certificate_store.h"
#include "quic/tls/sealing_key_ring.h"

namespace sluice {

// Gets lines in the format of SSLKEYLOGFILE, without the line feed. With them anybody reads all
// that is said; only where an operator asked for it by name.
using KeyLog = std::function<void(absl::string_view line)>;

struct TlsServerOptions {
  // Best first.
  std::vector<ApplicationProtocol> protocols;
  // How long a key seals session tickets; they are good for at least as long and at most twice. RFC
  // 8446 section 4.6.1 allows a week; a day in all bounds what a stolen key opens.
  TimeDelta ticket_key_lifetime = TimeDelta::Minutes(12 * 60);
  // None, normally.
  KeyLog key_log{};
};

// What all TLS sessions of a server have in common. One thread, but for certificates().
class TlsServerContext {
 public:
  // Longer, and a ticket would live for more than RFC 8446's seven days.
  static constexpr TimeDelta kMaxTicketKeyLifetime = TimeDelta::Minutes(int64_t{7} * 24 * 60 / 2);

  // InvalidArgument, with a sentence, for what ApplicationProtocols refuses or a lifetime out of
  // range. `random` outlives the context.
  static absl::StatusOr<std::unique_ptr<TlsServerContext>> Create(TlsServerOptions options,
                                                                  CertificateChain certificate,
                                                                  Timestamp now,
                                                                  RandomSource& random);
  TlsServerContext(const TlsServerContext&) = delete;
  TlsServerContext& operator=(const TlsServerContext&) = delete;

  // A session of its own for a new connection, with the certificate of this moment, or null when
  // memory is missing. Keys of tickets are those of `now`. Outlived by the context.
  bssl::UniquePtr<SSL> NewSession(Timestamp now);

  const ApplicationProtocols& protocols() const { return protocols_; }
  // Any thread.
  CertificateStore& certificates() { return certificates_; }

 private:
  TlsServerContext(TlsServerOptions options, ApplicationProtocols protocols,
                   CertificateChain certificate, Timestamp now, RandomSource& random);

  // What BoringSSL calls.
  static TlsServerContext& Of(const SSL* ssl);
  static int SelectProtocol(SSL* ssl, const uint8_t** out, uint8_t* out_size, const uint8_t* in,
                            unsigned in_size, void* context);
  static size_t TicketOverhead(SSL* ssl);
  static int SealTicket(SSL* ssl, uint8_t* out, size_t* out_size, size_t max_size,
                        const uint8_t* in, size_t in_size);
  static ssl_ticket_aead_result_t OpenTicket(SSL* ssl, uint8_t* out, size_t* out_size,
                                             size_t max_size, const uint8_t* in, size_t in_size);
  static void LogKey(const SSL* ssl, const char* line);

  static const SSL_TICKET_AEAD_METHOD kTicketMethod;

  const ApplicationProtocols protocols_;
  const KeyLog key_log_;
  CertificateStore certificates_;
  SealingKeyRing ticket_keys_;
  bssl::UniquePtr<SSL_CTX> context_;
};

}  // namespace sluice

#endif  // QUIC_TLS_TLS_SERVER_CONTEXT_H_
