#include "quic/tls/tls_client_context.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/mem.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "quic/tls/application_protocols.h"
#include "quic/tls/tls_clock.h"

namespace sluice {
namespace {

int ContextIndex() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

int ReceiverIndex() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

}  // namespace

absl::StatusOr<std::unique_ptr<TlsClientContext>> TlsClientContext::Create(
    TlsClientOptions options) {
  absl::StatusOr<ApplicationProtocols> protocols =
      ApplicationProtocols::Create(std::move(options.protocols));
  if (!protocols.ok()) return protocols.status();
  const std::string roots = std::move(options.trusted_pem);
  if (roots.empty() && !options.trust_anyone) {
    return absl::InvalidArgumentError("a client needs roots to trust");
  }
  std::unique_ptr<TlsClientContext> context(
      new TlsClientContext(std::move(options), *std::move(protocols)));
  if (!roots.empty() && !context->AddRoots(roots)) {
    ERR_clear_error();
    return absl::InvalidArgumentError("the roots to trust are not certificates in PEM");
  }
  return context;
}

TlsClientContext::TlsClientContext(TlsClientOptions options, ApplicationProtocols protocols)
    : protocols_(std::move(protocols)),
      key_log_(std::move(options.key_log)),
      context_(SSL_CTX_new(TLS_method())) {
  SSL_CTX* context = context_.get();
  SLUICE_CHECK(context != nullptr && SSL_CTX_set_ex_data(context, ContextIndex(), this) == 1);
  SLUICE_CHECK(SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1 &&
               SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) == 1);
  SSL_CTX_set_verify(context, options.trust_anyone ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context, &ReceiveTicket);
  ScopedTlsTime::UseIn(*context);
  if (key_log_ != nullptr) SSL_CTX_set_keylog_callback(context, &LogKey);
}

bool TlsClientContext::AddRoots(absl::string_view pem) {
  const bssl::UniquePtr<BIO> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  X509_STORE* store = SSL_CTX_get_cert_store(context_.get());
  bool any = false;
  while (true) {
    const bssl::UniquePtr<X509> root(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
    if (root == nullptr) break;
    if (X509_STORE_add_cert(store, root.get()) != 1) return false;
    any = true;
  }
  // Only the end of the text may have ended it.
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  return any && at_end;
}

bool TlsClientContext::ExpectName(SSL& ssl, const std::string& name) {
  // Not by BoringSSL's own reading of addresses, which takes "1.2.3.4.example" for one.
  std::array<uint8_t, 16> ip;
  size_t size = 0;
  if (inet_pton(AF_INET, name.c_str(), ip.data()) == 1) size = 4;
  if (inet_pton(AF_INET6, name.c_str(), ip.data()) == 1) size = 16;
  if (size > 0) {
    return X509_VERIFY_PARAM_set1_ip(SSL_get0_param(&ssl), ip.data(), size) == 1;
  }
  return SSL_set_tlsext_host_name(&ssl, name.c_str()) == 1 &&
         SSL_set1_host(&ssl, name.c_str()) == 1;
}

bssl::UniquePtr<SSL> TlsClientContext::NewSession(const std::string& server_name,
                                                  int64_t unix_seconds,
                                                  absl::Span<const uint8_t> ticket) {
  bssl::UniquePtr<SSL> ssl(SSL_new(context_.get()));
  if (ssl == nullptr) return nullptr;
  const absl::Span<const uint8_t> offer = protocols_.offer();
  // SSL_set_alpn_protos is the one that returns 0 when all is well.
  if (!ExpectName(*ssl, server_name) ||
      SSL_set_alpn_protos(ssl.get(), offer.data(), offer.size()) != 0) {
    ERR_clear_error();
    return nullptr;
  }
  X509_VERIFY_PARAM_set_time_posix(SSL_get0_param(ssl.get()), unix_seconds);
  SSL_set_connect_state(ssl.get());
  if (!ticket.empty()) {
    const bssl::UniquePtr<SSL_SESSION> session(
        SSL_SESSION_from_bytes(ticket.data(), ticket.size(), context_.get()));
    if (session != nullptr) {
      SSL_set_session(ssl.get(), session.get());
      if (protocols_.best().protocol.early_data) SSL_set_early_data_enabled(ssl.get(), 1);
    }
    ERR_clear_error();
  }
  return ssl;
}

void TlsClientContext::GiveTicketsTo(TicketReceiver& tickets, SSL& ssl) {
  SLUICE_CHECK(SSL_set_ex_data(&ssl, ReceiverIndex(), &tickets) == 1);
}

int TlsClientContext::ReceiveTicket(SSL* ssl, SSL_SESSION* session) {
  auto* receiver = static_cast<TicketReceiver*>(SSL_get_ex_data(ssl, ReceiverIndex()));
  if (receiver == nullptr) return 0;
  uint8_t* bytes = nullptr;
  size_t size = 0;
  if (SSL_SESSION_to_bytes(session, &bytes, &size) == 1) {
    const bssl::UniquePtr<uint8_t> wiped_when_freed(bytes);
    receiver->OnTicket(absl::MakeConstSpan(bytes, size));
  }
  ERR_clear_error();
  // The session stays BoringSSL's.
  return 0;
}

void TlsClientContext::LogKey(const SSL* ssl, const char* line) {
  static_cast<TlsClientContext*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), ContextIndex()))
      ->key_log_(line);
}

}  // namespace sluice
