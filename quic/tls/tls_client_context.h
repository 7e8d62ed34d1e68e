#ifndef QUIC_TLS_TLS_CLIENT_CONTEXT_H_
#define QUIC_TLS_TLS_CLIENT_CONTEXT_H_

#include <openssl/base.h>
#include <openssl/ssl.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "quic/tls/application_protocols.h"

namespace sluice {

struct TlsClientOptions {
  // What is offered, best first. The parameters of the first are those of the connection: a client
  // says its own before it knows what the server selects.
  std::vector<ApplicationProtocol> protocols;
  // The roots that are trusted, as PEM.
  std::string trusted_pem{};
  // Speak with whoever answers: for tests and for looking at servers.
  bool trust_anyone = false;
  // As in TlsServerOptions.
  std::function<void(absl::string_view line)> key_log{};
};

// Gets what a server gives a client so that it can come back faster.
class TicketReceiver {
 public:
  virtual ~TicketReceiver() = default;
  // A serialised session, secret. During the handshake or any time later; good once, rather than
  // several times: the same ticket twice tells that it is the same client (RFC 8446 appendix C.4).
  virtual void OnTicket(absl::Span<const uint8_t> session) = 0;
};

// What all TLS sessions of a client have in common. One thread.
class TlsClientContext {
 public:
  // InvalidArgument, with a sentence, for what ApplicationProtocols refuses, roots that do not
  // parse, or neither roots nor trust_anyone.
  static absl::StatusOr<std::unique_ptr<TlsClientContext>> Create(TlsClientOptions options);
  TlsClientContext(const TlsClientContext&) = delete;
  TlsClientContext& operator=(const TlsClientContext&) = delete;

  // A session for a connection to `server_name`, which its certificate must have: a DNS name, or an
  // IPv4 or IPv6 address as text, without brackets. An address is compared with the addresses in
  // the certificate only, and is not sent (RFC 6066 section 3).
  // `ticket` is what a receiver got earlier, or empty; one that does not parse counts as none.
  // `unix_seconds` is what certificates are judged by. Null when memory is missing or the name is
  // none. Outlived by the context.
  bssl::UniquePtr<SSL> NewSession(const std::string& server_name, int64_t unix_seconds,
                                  absl::Span<const uint8_t> ticket);

  // Who gets the tickets of a session made here, nobody until this is called. `tickets` outlives
  // the session.
  static void GiveTicketsTo(TicketReceiver& tickets, SSL& ssl);

  const ApplicationProtocols& protocols() const { return protocols_; }

 private:
  TlsClientContext(TlsClientOptions options, ApplicationProtocols protocols);

  // False for a name that is none, or no memory.
  static bool ExpectName(SSL& ssl, const std::string& name);

  // Whether there was at least one root, and nothing but roots.
  bool AddRoots(absl::string_view pem);

  static int ReceiveTicket(SSL* ssl, SSL_SESSION* session);
  static void LogKey(const SSL* ssl, const char* line);

  const ApplicationProtocols protocols_;
  const std::function<void(absl::string_view line)> key_log_;
  bssl::UniquePtr<SSL_CTX> context_;
};

}  // namespace sluice

#endif  // QUIC_TLS_TLS_CLIENT_CONTEXT_H_
