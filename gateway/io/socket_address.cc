#include "gateway/io/socket_address.h"

#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace sluice {

socklen_t ToSockaddr(const TransportAddress& address, sockaddr_storage& out) {
  const std::array<uint8_t, 16>& bytes = address.ip.bytes();
  if (address.ip.family() == IpFamily::kIpv4) {
    sockaddr_in& v4 = reinterpret_cast<sockaddr_in&>(out);
    v4 = sockaddr_in{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(address.port);
    std::copy_n(bytes.begin(), 4, reinterpret_cast<uint8_t*>(&v4.sin_addr));
    return sizeof(v4);
  }
  sockaddr_in6& v6 = reinterpret_cast<sockaddr_in6&>(out);
  v6 = sockaddr_in6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(address.port);
  v6.sin6_scope_id = address.ip.scope_id();
  std::copy_n(bytes.begin(), 16, v6.sin6_addr.s6_addr);
  return sizeof(v6);
}

std::optional<TransportAddress> FromSockaddr(const sockaddr_storage& address, socklen_t size) {
  if (size >= sizeof(sockaddr_in) && address.ss_family == AF_INET) {
    const sockaddr_in& v4 = reinterpret_cast<const sockaddr_in&>(address);
    std::array<uint8_t, 4> bytes;
    std::copy_n(reinterpret_cast<const uint8_t*>(&v4.sin_addr), 4, bytes.begin());
    return TransportAddress{IpAddress::V4(bytes), ntohs(v4.sin_port)};
  }
  if (size >= sizeof(sockaddr_in6) && address.ss_family == AF_INET6) {
    const sockaddr_in6& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    std::array<uint8_t, 16> bytes;
    std::copy(std::begin(v6.sin6_addr.s6_addr), std::end(v6.sin6_addr.s6_addr), bytes.begin());
    return TransportAddress{IpAddress::V6(bytes, v6.sin6_scope_id), ntohs(v6.sin6_port)};
  }
  return std::nullopt;
}

}  // namespace sluice
