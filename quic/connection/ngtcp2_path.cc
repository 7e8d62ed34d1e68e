#include "quic/connection/ngtcp2_path.h"

#include <netinet/in.h>
#include <ngtcp2/ngtcp2.h>

#include <array>
#include <cstdint>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "quic/connection/udp_path.h"

namespace sluice {
namespace {

ngtcp2_addr ToNgtcp2(const UdpAddress& address, ngtcp2_sockaddr_union& storage) {
  if (address.is_v6()) {
    storage.in6.sin6_family = AF_INET6;
    storage.in6.sin6_port = htons(address.port());
    storage.in6.sin6_scope_id = address.scope();
    CopyBytes(absl::MakeSpan(storage.in6.sin6_addr.s6_addr), address.ip());
    return {&storage.sa, sizeof(storage.in6)};
  }
  storage.in.sin_family = AF_INET;
  storage.in.sin_port = htons(address.port());
  storage.in.sin_addr.s_addr = htonl(LoadBe32(address.ip().data()));
  return {&storage.sa, sizeof(storage.in)};
}

UdpAddress FromNgtcp2(const ngtcp2_addr& address) {
  if (address.addrlen == sizeof(ngtcp2_sockaddr_in6) && address.addr->sa_family == AF_INET6) {
    const auto& in6 = *reinterpret_cast<const ngtcp2_sockaddr_in6*>(address.addr);
    std::array<uint8_t, 16> ip;
    CopyBytes(absl::MakeSpan(ip), in6.sin6_addr.s6_addr);
    return UdpAddress::V6(ip, ntohs(in6.sin6_port), in6.sin6_scope_id);
  }
  if (address.addrlen == sizeof(ngtcp2_sockaddr_in) && address.addr->sa_family == AF_INET) {
    const auto& in = *reinterpret_cast<const ngtcp2_sockaddr_in*>(address.addr);
    std::array<uint8_t, 4> ip;
    StoreBe32(ip.data(), ntohl(in.sin_addr.s_addr));
    return UdpAddress::V4(ip, ntohs(in.sin_port));
  }
  return UdpAddress();
}

}  // namespace

Ngtcp2Path::Ngtcp2Path(const UdpPath& path) {
  path_.local = ToNgtcp2(path.local, local_);
  path_.remote = ToNgtcp2(path.remote, remote_);
}

UdpPath FromNgtcp2(const ngtcp2_path& path) {
  return {FromNgtcp2(path.local), FromNgtcp2(path.remote)};
}

}  // namespace sluice
