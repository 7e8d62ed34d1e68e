#include "tools/ctl/transport_text.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace sluice {
namespace {

using ::sluice::gateway::v1::TransportAddress;

absl::Status NotAnAddress(absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(
      "'", text, "' is not ADDRESS:PORT; write 192.0.2.1:5004, or [2001:db8::1]:5004 for IPv6"));
}

}  // namespace

absl::StatusOr<TransportAddress> SplitHostPort(absl::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == absl::string_view::npos || colon == 0) return NotAnAddress(text);
  absl::string_view host = text.substr(0, colon);
  const bool bracketed = host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  // An IPv6 address without brackets would lose its last group to the port.
  if (host.empty() || absl::StrContains(host, ':') != bracketed) return NotAnAddress(text);
  uint32_t port = 0;
  const absl::string_view digits = text.substr(colon + 1);
  if (!absl::SimpleAtoi(digits, &port) || port < 1 || port > 65535) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", digits, "' in '", text, "' is not a port between 1 and 65535"));
  }
  TransportAddress address;
  address.set_ip(std::string(host));
  address.set_port(port);
  return address;
}

absl::StatusOr<TransportAddress> ParseTransportAddress(absl::string_view text) {
  absl::StatusOr<TransportAddress> address = SplitHostPort(text);
  if (!address.ok()) return address;
  if (!IsIpLiteral(address->ip())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", address->ip(), "' is not an IP address; media goes to addresses, not to names"));
  }
  return address;
}

std::string FormatTransportAddress(const TransportAddress& address) {
  if (address.ip().empty()) return "-";
  if (absl::StrContains(address.ip(), ':')) {
    return absl::StrCat("[", address.ip(), "]:", address.port());
  }
  return absl::StrCat(address.ip(), ":", address.port());
}

bool IsIpLiteral(absl::string_view host) {
  in6_addr address;
  const std::string text(host);
  return inet_pton(AF_INET, text.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

bool IsLoopbackHost(absl::string_view host) {
  const std::string text(host);
  in_addr v4;
  if (inet_pton(AF_INET, text.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6;
  if (inet_pton(AF_INET6, text.c_str(), &v6) == 1) return IN6_IS_ADDR_LOOPBACK(&v6);
  return host == "localhost";
}

}  // namespace sluice
