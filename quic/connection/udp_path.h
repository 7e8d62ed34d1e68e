#ifndef QUIC_CONNECTION_UDP_PATH_H_
#define QUIC_CONNECTION_UDP_PATH_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/types/span.h"

namespace sluice {

// Where a datagram comes from or goes to: an IP address and a port. A value: 28 bytes.
class UdpAddress {
 public:
  // 0.0.0.0:0.
  constexpr UdpAddress() = default;
  // Addresses in network order, ports as numbers.
  static constexpr UdpAddress V4(std::array<uint8_t, 4> ip, uint16_t port) {
    UdpAddress address;
    std::copy(ip.begin(), ip.end(), address.ip_.begin());
    address.port_ = port;
    return address;
  }
  // `scope` is the interface of a link-local address, else 0.
  static constexpr UdpAddress V6(std::array<uint8_t, 16> ip, uint16_t port, uint32_t scope = 0) {
    UdpAddress address;
    address.ip_ = ip;
    address.port_ = port;
    address.scope_ = scope;
    address.v6_ = true;
    return address;
  }

  constexpr bool is_v6() const { return v6_; }
  // 4 or 16 bytes; a view of this object.
  absl::Span<const uint8_t> ip() const { return absl::MakeConstSpan(ip_).first(v6_ ? 16 : 4); }
  constexpr uint16_t port() const { return port_; }
  constexpr uint32_t scope() const { return scope_; }

  friend bool operator==(const UdpAddress& a, const UdpAddress& b) = default;
  template <typename H>
  friend H AbslHashValue(H state, const UdpAddress& a) {
    return H::combine(std::move(state), a.ip_, a.scope_, a.port_, a.v6_);
  }

 private:
  // Zeros behind the address.
  std::array<uint8_t, 16> ip_{};
  uint32_t scope_ = 0;
  uint16_t port_ = 0;
  bool v6_ = false;
};

// Both ends of a datagram's way, as this host sees them.
struct UdpPath {
  friend bool operator==(const UdpPath& a, const UdpPath& b) = default;

  UdpAddress local;
  UdpAddress remote;
};

// RFC 3168: the two lowest bits of the traffic class.
enum class Ecn : uint8_t { kNotEct = 0, kEct1 = 1, kEct0 = 2, kCe = 3 };

}  // namespace sluice

#endif  // QUIC_CONNECTION_UDP_PATH_H_
