#ifndef TOOLS_CTL_TRANSPORT_TEXT_H_
#define TOOLS_CTL_TRANSPORT_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/gateway/v1/leg.pb.h"

namespace sluice {

// Reads "192.0.2.1:5004" or "[2001:db8::1]:5004". Literal addresses only, as in the control API:
// what a name resolves to here need not be what it resolves to at the gateway.
absl::StatusOr<gateway::v1::TransportAddress> ParseTransportAddress(absl::string_view text);

// The same form; "-" for an address that is not set.
std::string FormatTransportAddress(const gateway::v1::TransportAddress& address);

// Splits "host:port" or "[v6]:port" into host and port without looking at the host.
absl::StatusOr<gateway::v1::TransportAddress> SplitHostPort(absl::string_view text);

// True for an IPv4 or IPv6 literal of the loopback network, and for "localhost".
bool IsLoopbackHost(absl::string_view host);

// True for an IPv4 or IPv6 literal.
bool IsIpLiteral(absl::string_view host);

}  // namespace sluice

#endif  // TOOLS_CTL_TRANSPORT_TEXT_H_
