#include "quic/client/io/server_addresses.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "quic/connection/udp_path.h"

namespace sluice {
namespace {

std::optional<UdpAddress> ParseLiteral(const std::string& host, uint16_t port) {
  std::array<uint8_t, 4> v4;
  if (inet_pton(AF_INET, host.c_str(), v4.data()) == 1) return UdpAddress::V4(v4, port);
  std::array<uint8_t, 16> v6;
  if (inet_pton(AF_INET6, host.c_str(), v6.data()) == 1) return UdpAddress::V6(v6, port);
  return std::nullopt;
}

bool IsLoopback(const UdpAddress& address) {
  if (!address.is_v6()) return address.ip()[0] == 127;
  constexpr std::array<uint8_t, 16> kLoopback = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  return address.ip() == absl::MakeConstSpan(kLoopback);
}

// Addresses of the system are in memory that may lie anywhere: copied, not looked into.
std::optional<UdpAddress> FromSystem(const sockaddr* name, socklen_t size) {
  const auto bytes = absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(name), size);
  if (size == sizeof(sockaddr_in) && name->sa_family == AF_INET) {
    sockaddr_in in;
    CopyBytes(absl::MakeSpan(reinterpret_cast<uint8_t*>(&in), sizeof(in)), bytes);
    std::array<uint8_t, 4> ip;
    CopyBytes(absl::MakeSpan(ip),
              absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(&in.sin_addr), ip.size()));
    return UdpAddress::V4(ip, ntohs(in.sin_port));
  }
  if (size == sizeof(sockaddr_in6) && name->sa_family == AF_INET6) {
    sockaddr_in6 in;
    CopyBytes(absl::MakeSpan(reinterpret_cast<uint8_t*>(&in), sizeof(in)), bytes);
    std::array<uint8_t, 16> ip;
    CopyBytes(absl::MakeSpan(ip), absl::MakeConstSpan(in.sin6_addr.s6_addr, ip.size()));
    return UdpAddress::V6(ip, ntohs(in.sin6_port), in.sin6_scope_id);
  }
  return std::nullopt;
}

// How many bytes of `name` it has.
socklen_t ToSystem(const UdpAddress& address, sockaddr_storage& name) {
  name = {};
  if (address.is_v6()) {
    auto& in = *reinterpret_cast<sockaddr_in6*>(&name);
    in.sin6_family = AF_INET6;
    in.sin6_port = htons(address.port());
    in.sin6_scope_id = address.scope();
    CopyBytes(absl::MakeSpan(in.sin6_addr.s6_addr), address.ip());
    return sizeof(in);
  }
  auto& in = *reinterpret_cast<sockaddr_in*>(&name);
  in.sin_family = AF_INET;
  in.sin_port = htons(address.port());
  CopyBytes(absl::MakeSpan(reinterpret_cast<uint8_t*>(&in.sin_addr), 4), address.ip());
  return sizeof(in);
}

}  // namespace

absl::StatusOr<ServerTarget> ParseServerTarget(absl::string_view text) {
  absl::string_view rest = text;
  absl::ConsumePrefix(&rest, "quic://");
  const absl::Status wrong =
      absl::InvalidArgumentError(absl::StrCat("'", text, "' is not HOST:PORT or [IPV6]:PORT"));
  const size_t colon = rest.rfind(':');
  if (colon == absl::string_view::npos) return wrong;
  absl::string_view host = rest.substr(0, colon);
  const absl::string_view port_text = rest.substr(colon + 1);
  const bool in_brackets = absl::ConsumePrefix(&host, "[");
  if (in_brackets != absl::ConsumeSuffix(&host, "]")) return wrong;
  uint32_t port = 0;
  const bool digits =
      !port_text.empty() && port_text.find_first_not_of("0123456789") == absl::string_view::npos;
  if (!digits || !absl::SimpleAtoi(port_text, &port) || port == 0 || port > UINT16_MAX) {
    return wrong;
  }
  ServerTarget target{.host = std::string(host), .port = static_cast<uint16_t>(port)};
  const std::optional<UdpAddress> literal = ParseLiteral(target.host, target.port);
  if (in_brackets != (literal.has_value() && literal->is_v6())) return wrong;
  for (const char c : host) {
    if (!literal.has_value() && !absl::ascii_isalnum(c) && c != '-' && c != '.') return wrong;
  }
  if (host.empty()) return wrong;
  return target;
}

std::string CertificateNameOf(const ServerTarget& target) {
  const std::optional<UdpAddress> literal = ParseLiteral(target.host, target.port);
  return literal.has_value() && IsLoopback(*literal) ? "localhost" : target.host;
}

absl::StatusOr<std::vector<UdpAddress>> ResolveServer(const ServerTarget& target) {
  if (const auto literal = ParseLiteral(target.host, target.port); literal.has_value()) {
    return std::vector<UdpAddress>{*literal};
  }
  addrinfo hints = {};
  hints.ai_socktype = SOCK_DGRAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  const int error =
      getaddrinfo(target.host.c_str(), absl::StrCat(target.port).c_str(), &hints, &found);
  if (error != 0) {
    return absl::NotFoundError(
        absl::StrCat("no address of '", target.host, "' is known: ", gai_strerror(error)));
  }
  const absl::Cleanup free = [found] { freeaddrinfo(found); };
  std::vector<UdpAddress> addresses;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    const std::optional<UdpAddress> address = FromSystem(at->ai_addr, at->ai_addrlen);
    if (address.has_value() && addresses.size() < kMaxServerAddresses) {
      addresses.push_back(*address);
    }
  }
  if (addresses.empty()) {
    return absl::NotFoundError(absl::StrCat("'", target.host, "' has no IP address"));
  }
  return addresses;
}

absl::StatusOr<UdpAddress> LocalAddressTowards(const UdpAddress& server) {
  const int fd = socket(server.is_v6() ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return absl::ErrnoToStatus(errno, "socket");
  const absl::Cleanup close_it = [fd] { close(fd); };
  sockaddr_storage name;
  const socklen_t size = ToSystem(server, name);
  // Sends nothing: only asks which way a datagram would go.
  if (connect(fd, reinterpret_cast<const sockaddr*>(&name), size) != 0) {
    return absl::UnavailableError(absl::StrCat("there is no way from here to ",
                                               FormatUdpAddress(server), ": ",
                                               absl::ErrnoToStatus(errno, "connect").message()));
  }
  socklen_t local_size = sizeof(name);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&name), &local_size) != 0) {
    return absl::ErrnoToStatus(errno, "getsockname");
  }
  const auto local = FromSystem(reinterpret_cast<const sockaddr*>(&name), local_size);
  if (!local.has_value()) return absl::InternalError("getsockname gave no IP address");
  std::array<uint8_t, 16> v6;
  std::array<uint8_t, 4> v4;
  if (local->is_v6()) {
    CopyBytes(absl::MakeSpan(v6), local->ip());
    return UdpAddress::V6(v6, 0, local->scope());
  }
  CopyBytes(absl::MakeSpan(v4), local->ip());
  return UdpAddress::V4(v4, 0);
}

std::string FormatUdpAddress(const UdpAddress& address) {
  std::array<char, INET6_ADDRSTRLEN> text = {};
  inet_ntop(address.is_v6() ? AF_INET6 : AF_INET, address.ip().data(), text.data(), text.size());
  return address.is_v6() ? absl::StrCat("[", text.data(), "]:", address.port())
                         : absl::StrCat(text.data(), ":", address.port());
}

}  // namespace sluice
