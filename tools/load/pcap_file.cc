#include "tools/load/pcap_file.h"

#include <array>
#include <cerrno>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/byte_order.h"

namespace sluice {
namespace {

// Of the file, big-endian: 2.4 is the version, times are in microseconds.
constexpr uint32_t kMagic = 0xA1B2C3D4;
constexpr uint16_t kVersionMajor = 2;
constexpr uint16_t kVersionMinor = 4;
constexpr uint32_t kSnapLength = 65'535;
constexpr uint32_t kLinkTypeRaw = 101;
constexpr size_t kFileHeaderSize = 24;
constexpr size_t kRecordHeaderSize = 16;

constexpr size_t kIpv4HeaderSize = 20;
constexpr size_t kIpv6HeaderSize = 40;
constexpr size_t kUdpHeaderSize = 8;
constexpr uint8_t kUdp = 17;
constexpr uint8_t kHops = 64;
constexpr int64_t kMicrosPerSecond = 1'000'000;

// RFC 791 section 3.1.
void WriteIpv4(uint8_t* to, const UdpAddress& from, const UdpAddress& dest, Ecn ecn, size_t size) {
  to[0] = 0x45;
  to[1] = static_cast<uint8_t>(ecn);
  StoreBe16(to + 2, static_cast<uint16_t>(kIpv4HeaderSize + kUdpHeaderSize + size));
  // Don't Fragment.
  to[6] = 0x40;
  to[8] = kHops;
  to[9] = kUdp;
  CopyBytes({to + 12, 4}, from.ip());
  CopyBytes({to + 16, 4}, dest.ip());
}

// RFC 8200 section 3.
void WriteIpv6(uint8_t* to, const UdpAddress& from, const UdpAddress& dest, Ecn ecn, size_t size) {
  to[0] = 0x60;
  // The traffic class is four bits into the header, and ECN its two lowest.
  to[1] = static_cast<uint8_t>(static_cast<uint8_t>(ecn) << 4);
  StoreBe16(to + 4, static_cast<uint16_t>(kUdpHeaderSize + size));
  to[6] = kUdp;
  to[7] = kHops;
  CopyBytes({to + 8, 16}, from.ip());
  CopyBytes({to + 24, 16}, dest.ip());
}

}  // namespace

absl::StatusOr<PcapFile> PcapFile::Create(const std::string& path) {
  PcapFile file(std::fopen(path.c_str(), "we"));
  if (file.file_ == nullptr) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot write ", path));
  }
  std::array<uint8_t, kFileHeaderSize> header{};
  StoreBe32(&header[0], kMagic);
  StoreBe16(&header[4], kVersionMajor);
  StoreBe16(&header[6], kVersionMinor);
  StoreBe32(&header[16], kSnapLength);
  StoreBe32(&header[20], kLinkTypeRaw);
  std::fwrite(header.data(), 1, header.size(), file.file_.get());
  return file;
}

void PcapFile::Add(Timestamp now, const UdpAddress& from, const UdpAddress& to, Ecn ecn,
                   absl::Span<const uint8_t> datagram) {
  std::array<uint8_t, kRecordHeaderSize + kIpv6HeaderSize + kUdpHeaderSize> header{};
  const size_t ip_size = from.is_v6() ? kIpv6HeaderSize : kIpv4HeaderSize;
  const auto length = static_cast<uint32_t>(ip_size + kUdpHeaderSize + datagram.size());
  StoreBe32(&header[0], static_cast<uint32_t>(now.us() / kMicrosPerSecond));
  StoreBe32(&header[4], static_cast<uint32_t>(now.us() % kMicrosPerSecond));
  StoreBe32(&header[8], length);
  StoreBe32(&header[12], length);
  uint8_t* const ip = &header[kRecordHeaderSize];
  if (from.is_v6()) {
    WriteIpv6(ip, from, to, ecn, datagram.size());
  } else {
    WriteIpv4(ip, from, to, ecn, datagram.size());
  }
  uint8_t* const udp = ip + ip_size;
  StoreBe16(udp, from.port());
  StoreBe16(udp + 2, to.port());
  StoreBe16(udp + 4, static_cast<uint16_t>(kUdpHeaderSize + datagram.size()));
  std::fwrite(header.data(), 1, kRecordHeaderSize + ip_size + kUdpHeaderSize, file_.get());
  std::fwrite(datagram.data(), 1, datagram.size(), file_.get());
}

}  // namespace sluice
