#ifndef QUIC_HTTP3_HTTP_PROTOCOL_H_
#define QUIC_HTTP3_HTTP_PROTOCOL_H_

#include "absl/strings/string_view.h"
#include "quic/http3/http_limits.h"
#include "quic/tls/application_protocols.h"

namespace sluice {

// As in ALPN (RFC 9114 section 3.1).
inline constexpr absl::string_view kHttpProtocolName = "h3";

// What connections of HTTP/3 may use, for the TLS context of a server: as many streams as `limits`
// have requests, so that a client which keeps to them is never refused one. Without 0-RTT; who
// answers requests decides whether to set `early_data`.
ApplicationProtocol HttpServerProtocol(const HttpLimits& limits);

}  // namespace sluice

#endif  // QUIC_HTTP3_HTTP_PROTOCOL_H_
