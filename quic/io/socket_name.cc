#include "quic/io/socket_name.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "quic/connection/udp_path.h"

namespace sluice {
namespace {

template <typename T>
absl::Span<uint8_t> BytesOf(T& value) {
  return absl::MakeSpan(reinterpret_cast<uint8_t*>(&value), sizeof(T));
}

template <typename T>
absl::Span<const uint8_t> BytesOf(const T& value) {
  return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(&value), sizeof(T));
}

}  // namespace

socklen_t ToSocketName(const UdpAddress& address, sockaddr_storage& name) {
  if (address.is_v6()) {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(address.port());
    v6.sin6_scope_id = address.scope();
    CopyBytes(BytesOf(v6.sin6_addr), address.ip());
    CopyBytes(BytesOf(name), BytesOf(v6));
    return sizeof(v6);
  }
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(address.port());
  CopyBytes(BytesOf(v4.sin_addr), address.ip());
  CopyBytes(BytesOf(name), BytesOf(v4));
  return sizeof(v4);
}

std::optional<UdpAddress> FromSocketName(const sockaddr_storage& name, socklen_t size) {
  if (name.ss_family == AF_INET6 && size >= sizeof(sockaddr_in6)) {
    sockaddr_in6 v6;
    CopyBytes(BytesOf(v6), BytesOf(name).first(sizeof(v6)));
    std::array<uint8_t, 16> ip;
    CopyBytes(absl::MakeSpan(ip), BytesOf(v6.sin6_addr));
    return UdpAddress::V6(ip, ntohs(v6.sin6_port), v6.sin6_scope_id);
  }
  if (name.ss_family == AF_INET && size >= sizeof(sockaddr_in)) {
    sockaddr_in v4;
    CopyBytes(BytesOf(v4), BytesOf(name).first(sizeof(v4)));
    std::array<uint8_t, 4> ip;
    CopyBytes(absl::MakeSpan(ip), BytesOf(v4.sin_addr));
    return UdpAddress::V4(ip, ntohs(v4.sin_port));
  }
  return std::nullopt;
}

}  // namespace sluice
