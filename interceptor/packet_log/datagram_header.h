#ifndef INTERCEPTOR_PACKET_LOG_DATAGRAM_HEADER_H_
#define INTERCEPTOR_PACKET_LOG_DATAGRAM_HEADER_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace sluice {

enum class LoggedIpFamily : uint8_t { kIpv4, kIpv6 };

// Where packets come from or go to, as the log tells it.
struct LoggedAddress {
  LoggedIpFamily family = LoggedIpFamily::kIpv4;
  // 4 or 16 bytes in network order, the rest zero.
  std::array<uint8_t, 16> ip{};
  uint16_t port = 0;
};

// IPv6 (RFC 8200 section 3) and UDP (RFC 768): the longest that WriteDatagramHeader writes.
inline constexpr size_t kMaxDatagramHeaderSize = 40 + 8;

// Bytes of an IP and a UDP header.
constexpr size_t DatagramHeaderSize(LoggedIpFamily family) {
  return family == LoggedIpFamily::kIpv4 ? 20 + 8 : kMaxDatagramHeaderSize;
}

// The headers of IP and UDP that a datagram with `payload` had, or might have had: what is not
// known of them is what a host writes by default. `payload` is the front of `payload_size` bytes.
// Checksums are right where all of the payload is there, and the UDP one is 0 else (no reader looks
// at it then). Lengths that do not fit their fields are the largest that do.
//
// `from` and `to` have one family, and `out` has DatagramHeaderSize bytes at least; it is our
// mistake, and fatal, if not. Returns how many were written.
size_t WriteDatagramHeader(const LoggedAddress& from, const LoggedAddress& to,
                           absl::Span<const uint8_t> payload, size_t payload_size,
                           absl::Span<uint8_t> out);

}  // namespace sluice

#endif  // INTERCEPTOR_PACKET_LOG_DATAGRAM_HEADER_H_
