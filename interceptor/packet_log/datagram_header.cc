#include "interceptor/packet_log/datagram_header.h"

#include <algorithm>

#include "base/byte_order.h"
#include "base/check.h"

namespace sluice {
namespace {

constexpr size_t kIpv4Size = 20;
constexpr size_t kIpv6Size = 40;
constexpr size_t kUdpSize = 8;
constexpr uint8_t kUdpProtocol = 17;
// What hosts start with (RFC 1700 asks for 64).
constexpr uint8_t kTimeToLive = 64;
constexpr uint16_t kDontFragment = 0x4000;

// A sum of 16-bit words in ones' complement (RFC 1071), over pieces of even length but the last.
class Checksum {
 public:
  void Add(absl::Span<const uint8_t> bytes) {
    size_t i = 0;
    for (; i + 1 < bytes.size(); i += 2) {
      sum_ += LoadBe16(bytes.data() + i);
    }
    if (i < bytes.size()) {
      sum_ += uint64_t{bytes[i]} << 8;
    }
  }
  void Add(uint16_t word) { sum_ += word; }

  uint16_t Finish() const {
    uint64_t sum = sum_;
    while (sum > 0xFFFF) {
      sum = (sum & 0xFFFF) + (sum >> 16);
    }
    return static_cast<uint16_t>(~sum);
  }

 private:
  uint64_t sum_ = 0;
};

uint16_t Length(size_t size) { return static_cast<uint16_t>(std::min<size_t>(size, 0xFFFF)); }

absl::Span<const uint8_t> IpBytes(const LoggedAddress& address) {
  return absl::MakeConstSpan(address.ip)
      .first(address.family == LoggedIpFamily::kIpv4 ? size_t{4} : size_t{16});
}

// RFC 791 section 3.1, without options.
void WriteIpv4(const LoggedAddress& from, const LoggedAddress& to, size_t udp_size,
               absl::Span<uint8_t> out) {
  uint8_t* const p = out.data();
  p[0] = 0x45;
  p[1] = 0;
  StoreBe16(p + 2, Length(kIpv4Size + udp_size));
  StoreBe16(p + 4, 0);
  StoreBe16(p + 6, kDontFragment);
  p[8] = kTimeToLive;
  p[9] = kUdpProtocol;
  StoreBe16(p + 10, 0);
  CopyBytes(out.subspan(12), IpBytes(from));
  CopyBytes(out.subspan(16), IpBytes(to));
  Checksum checksum;
  checksum.Add(out.first(kIpv4Size));
  StoreBe16(p + 10, checksum.Finish());
}

// RFC 8200 section 3.
void WriteIpv6(const LoggedAddress& from, const LoggedAddress& to, size_t udp_size,
               absl::Span<uint8_t> out) {
  uint8_t* const p = out.data();
  StoreBe32(p, 0x60000000);
  StoreBe16(p + 4, Length(udp_size));
  p[6] = kUdpProtocol;
  p[7] = kTimeToLive;
  CopyBytes(out.subspan(8), IpBytes(from));
  CopyBytes(out.subspan(24), IpBytes(to));
}

}  // namespace

size_t WriteDatagramHeader(const LoggedAddress& from, const LoggedAddress& to,
                           absl::Span<const uint8_t> payload, size_t payload_size,
                           absl::Span<uint8_t> out) {
  SLUICE_CHECK(from.family == to.family);
  SLUICE_CHECK(out.size() >= DatagramHeaderSize(from.family));
  const size_t udp_size = kUdpSize + payload_size;
  const bool v4 = from.family == LoggedIpFamily::kIpv4;
  const size_t ip_size = v4 ? kIpv4Size : kIpv6Size;
  if (v4) {
    WriteIpv4(from, to, udp_size, out);
  } else {
    WriteIpv6(from, to, udp_size, out);
  }
  const absl::Span<uint8_t> udp = out.subspan(ip_size, kUdpSize);
  StoreBe16(udp.data(), from.port);
  StoreBe16(udp.data() + 2, to.port);
  StoreBe16(udp.data() + 4, Length(udp_size));
  StoreBe16(udp.data() + 6, 0);
  if (payload.size() == payload_size && udp_size <= 0xFFFF) {
    // With the pseudo-header of RFC 768 and RFC 8200 section 8.1, whose words add up to the same.
    Checksum checksum;
    checksum.Add(IpBytes(from));
    checksum.Add(IpBytes(to));
    checksum.Add(kUdpProtocol);
    checksum.Add(Length(udp_size));
    checksum.Add(udp);
    checksum.Add(payload);
    // 0 would say that there is none.
    const uint16_t sum = checksum.Finish();
    StoreBe16(udp.data() + 6, sum == 0 ? 0xFFFF : sum);
  }
  return ip_size + kUdpSize;
}

}  // namespace sluice
