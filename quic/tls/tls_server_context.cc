#include "quic/tls/tls_server_context.h"

#include <openssl/ssl.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/random_source.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "quic/tls/application_protocols.h"
#include "quic/tls/certificate_chain.h"
#include "quic/tls/tls_clock.h"

namespace sluice {
namespace {

// BoringSSL offers two. One is enough for a client that opens one connection at a time, and each
// costs some 200 bytes of the first flight.
constexpr size_t kTicketsPerHandshake = 1;

// The name under which a context finds us.
int ContextIndex() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

}  // namespace

const SSL_TICKET_AEAD_METHOD TlsServerContext::kTicketMethod = {
    &TlsServerContext::TicketOverhead,
    &TlsServerContext::SealTicket,
    &TlsServerContext::OpenTicket,
};

absl::StatusOr<std::unique_ptr<TlsServerContext>> TlsServerContext::Create(
    TlsServerOptions options, CertificateChain certificate, Timestamp now, RandomSource& random) {
  if (options.ticket_key_lifetime < TimeDelta::Seconds(1) ||
      options.ticket_key_lifetime > kMaxTicketKeyLifetime) {
    return absl::InvalidArgumentError(absl::StrCat("ticket_key_lifetime is ",
                                                   options.ticket_key_lifetime, ", not 1 s to ",
                                                   kMaxTicketKeyLifetime));
  }
  absl::StatusOr<ApplicationProtocols> protocols =
      ApplicationProtocols::Create(std::move(options.protocols));
  if (!protocols.ok()) return protocols.status();
  return std::unique_ptr<TlsServerContext>(new TlsServerContext(
      std::move(options), *std::move(protocols), std::move(certificate), now, random));
}

TlsServerContext::TlsServerContext(TlsServerOptions options, ApplicationProtocols protocols,
                                   CertificateChain certificate, Timestamp now,
                                   RandomSource& random)
    : protocols_(std::move(protocols)),
      key_log_(std::move(options.key_log)),
      certificates_(std::move(certificate)),
      ticket_keys_(now, options.ticket_key_lifetime, random),
      context_(SSL_CTX_new(TLS_method())) {
  SSL_CTX* context = context_.get();
  SLUICE_CHECK(context != nullptr && SSL_CTX_set_ex_data(context, ContextIndex(), this) == 1);
  // RFC 9001 section 4.2.
  SLUICE_CHECK(SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1 &&
               SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) == 1);
  SSL_CTX_set_alpn_select_cb(context, &SelectProtocol, this);
  SSL_CTX_set_ticket_aead_method(context, &kTicketMethod);
  SSL_CTX_set_num_tickets(context, kTicketsPerHandshake);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_session_psk_dhe_timeout(
      context, static_cast<uint32_t>(options.ticket_key_lifetime.seconds() * 2));
  ScopedTlsTime::UseIn(*context);
  if (key_log_ != nullptr) SSL_CTX_set_keylog_callback(context, &LogKey);
}

bssl::UniquePtr<SSL> TlsServerContext::NewSession(Timestamp now) {
  ticket_keys_.Advance(now);
  bssl::UniquePtr<SSL> ssl(SSL_new(context_.get()));
  if (ssl == nullptr || !certificates_.ApplyTo(*ssl)) return nullptr;
  SSL_set_accept_state(ssl.get());
  return ssl;
}

TlsServerContext& TlsServerContext::Of(const SSL* ssl) {
  return *static_cast<TlsServerContext*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), ContextIndex()));
}

int TlsServerContext::SelectProtocol(SSL* ssl, const uint8_t** out, uint8_t* out_size,
                                     const uint8_t* in, unsigned in_size, void* context) {
  const auto& self = *static_cast<TlsServerContext*>(context);
  const ApplicationProtocols::Entry* entry =
      self.protocols_.Select(absl::MakeConstSpan(in, in_size));
  // RFC 9001 section 8.1: the alert no_application_protocol.
  if (entry == nullptr) return SSL_TLSEXT_ERR_ALERT_FATAL;
  const absl::Span<const uint8_t> context_bytes = entry->early_data_context;
  SSL_set_early_data_enabled(ssl, entry->protocol.early_data ? 1 : 0);
  // Asked for later in the same handshake: in the ticket and when one comes back.
  if (SSL_set_quic_early_data_context(ssl, context_bytes.data(), context_bytes.size()) != 1) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *out = reinterpret_cast<const uint8_t*>(entry->protocol.name.data());
  *out_size = static_cast<uint8_t>(entry->protocol.name.size());
  return SSL_TLSEXT_ERR_OK;
}

size_t TlsServerContext::TicketOverhead(SSL* /*ssl*/) { return SealingKeyRing::kOverhead; }

int TlsServerContext::SealTicket(SSL* ssl, uint8_t* out, size_t* out_size, size_t max_size,
                                 const uint8_t* in, size_t in_size) {
  // BoringSSL hands over separate buffers today, but says that they may be one.
  if (in == out) return 0;
  *out_size = Of(ssl).ticket_keys_.Seal(absl::MakeConstSpan(in, in_size), {},
                                        absl::MakeSpan(out, max_size));
  return *out_size != 0 ? 1 : 0;
}

ssl_ticket_aead_result_t TlsServerContext::OpenTicket(SSL* ssl, uint8_t* out, size_t* out_size,
                                                      size_t max_size, const uint8_t* in,
                                                      size_t in_size) {
  const std::optional<size_t> size = Of(ssl).ticket_keys_.Open(absl::MakeConstSpan(in, in_size), {},
                                                               absl::MakeSpan(out, max_size));
  // A full handshake then: the client did nothing wrong.
  if (!size.has_value()) return ssl_ticket_aead_ignore_ticket;
  *out_size = *size;
  return ssl_ticket_aead_success;
}

void TlsServerContext::LogKey(const SSL* ssl, const char* line) { Of(ssl).key_log_(line); }

}  // namespace sluice
