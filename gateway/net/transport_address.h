#ifndef GATEWAY_NET_TRANSPORT_ADDRESS_H_
#define GATEWAY_NET_TRANSPORT_ADDRESS_H_

#include <array>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace sluice {

enum class IpFamily : uint8_t { kIpv4, kIpv6 };

// An IPv4 or IPv6 address as a value. IPv4-mapped IPv6 addresses (RFC 4291 section 2.5.5.2) are
// kept as IPv4, so that one peer has one spelling.
class IpAddress {
 public:
  // 0.0.0.0.
  constexpr IpAddress() = default;
  static IpAddress V4(std::array<uint8_t, 4> bytes);
  static IpAddress V6(std::array<uint8_t, 16> bytes, uint32_t scope_id = 0);
  // Text form without brackets, port or host name. InvalidArgument otherwise. A scope as in
  // fe80::1%eth0 is taken for link-local addresses if the interface exists.
  static absl::StatusOr<IpAddress> Parse(absl::string_view text);

  IpFamily family() const { return family_; }
  // 4 or 16 bytes in network order, the rest zero.
  const std::array<uint8_t, 16>& bytes() const { return bytes_; }
  uint32_t scope_id() const { return scope_id_; }
  bool IsLoopback() const;
  bool IsUnspecified() const;
  bool IsMulticast() const;
  std::string ToString() const;

  friend bool operator==(const IpAddress&, const IpAddress&) = default;

 private:
  std::array<uint8_t, 16> bytes_{};
  uint32_t scope_id_ = 0;
  IpFamily family_ = IpFamily::kIpv4;
};

// IP address and UDP port (the word of RFC 8445 section 4).
struct TransportAddress {
  IpAddress ip;
  uint16_t port = 0;

  // "192.0.2.1:5004", "[2001:db8::1]:5004".
  std::string ToString() const;
  friend bool operator==(const TransportAddress&, const TransportAddress&) = default;
};

}  // namespace sluice

#endif  // GATEWAY_NET_TRANSPORT_ADDRESS_H_
