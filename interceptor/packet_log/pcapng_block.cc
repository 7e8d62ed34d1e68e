#include "interceptor/packet_log/pcapng_block.h"

#include <algorithm>

#include "base/bounded_writer.h"
#include "base/byte_order.h"

namespace sluice {
namespace {

// Block types (section 11.1).
constexpr uint32_t kSectionHeader = 0x0A0D0D0A;
constexpr uint32_t kInterfaceDescription = 1;
constexpr uint32_t kInterfaceStatistics = 5;
constexpr uint32_t kEnhancedPacket = 6;

// Section 4.1. A reader that finds it the other way round swaps everything.
constexpr uint32_t kByteOrderMagic = 0x1A2B3C4D;
constexpr uint16_t kMajorVersion = 1;
constexpr uint16_t kMinorVersion = 0;
constexpr uint64_t kUnknownSectionLength = UINT64_MAX;

// Options: section 3.5.1 and those of each block.
constexpr uint16_t kEndOfOptions = 0;
constexpr uint16_t kApplication = 4;
constexpr uint16_t kInterfaceName = 2;
constexpr uint16_t kInterfaceDescriptionText = 3;
constexpr uint16_t kTimeResolution = 9;
constexpr uint16_t kPacketFlags = 2;
constexpr uint16_t kPacketDropCount = 4;
constexpr uint16_t kPacketsReceived = 4;
constexpr uint16_t kPacketsDropped = 5;
constexpr uint16_t kPacketsDelivered = 8;

// if_tsresol: a power of ten.
constexpr uint8_t kMicroseconds = 6;
// epb_flags, section 4.3.1: the lowest two bits.
constexpr uint32_t kInbound = 1;
constexpr uint32_t kOutbound = 2;
// An option's value that has no room in its length is cut.
constexpr size_t kMaxOptionSize = 0xFFFF;

// One block (section 3.1). Failures last: only Finish tells.
class BlockWriter {
 public:
  BlockWriter(uint32_t type, absl::Span<uint8_t> out) : out_(out), writer_(out) {
    U32(type);
    // The length, once it is known.
    U32(0);
  }

  void U16(uint16_t v) { ok_ = ok_ && writer_.WriteU16(v); }
  void U32(uint32_t v) { ok_ = ok_ && writer_.WriteU32(v); }
  void U64(uint64_t v) { ok_ = ok_ && writer_.WriteU64(v); }
  void Bytes(absl::Span<const uint8_t> bytes) { ok_ = ok_ && writer_.WriteBytes(bytes); }
  // Fields and options begin at multiples of 4.
  void Pad() {
    while (writer_.size() % 4 != 0 && ok_) {
      ok_ = writer_.WriteU8(0);
    }
  }

  void TextOption(uint16_t code, absl::string_view text) {
    text = text.substr(0, kMaxOptionSize);
    U16(code);
    U16(static_cast<uint16_t>(text.size()));
    for (const char c : text) {
      ok_ = ok_ && writer_.WriteU8(static_cast<uint8_t>(c));
    }
    Pad();
  }
  void U8Option(uint16_t code, uint8_t v) {
    U16(code);
    U16(1);
    ok_ = ok_ && writer_.WriteU8(v);
    Pad();
  }
  void U32Option(uint16_t code, uint32_t v) {
    U16(code);
    U16(4);
    U32(v);
  }
  void U64Option(uint16_t code, uint64_t v) {
    U16(code);
    U16(8);
    U64(v);
  }

  size_t Finish() {
    U16(kEndOfOptions);
    U16(0);
    const size_t size = writer_.size() + 4;
    U32(static_cast<uint32_t>(size));
    if (!ok_) {
      return 0;
    }
    StoreBe32(out_.data() + 4, static_cast<uint32_t>(size));
    return size;
  }

 private:
  absl::Span<uint8_t> out_;
  ByteWriter writer_;
  bool ok_ = true;
};

}  // namespace

size_t WriteSectionHeader(absl::string_view application, absl::Span<uint8_t> out) {
  BlockWriter block(kSectionHeader, out);
  block.U32(kByteOrderMagic);
  block.U16(kMajorVersion);
  block.U16(kMinorVersion);
  block.U64(kUnknownSectionLength);
  block.TextOption(kApplication, application);
  return block.Finish();
}

size_t WriteInterfaceDescription(const PcapngInterface& interface, absl::Span<uint8_t> out) {
  BlockWriter block(kInterfaceDescription, out);
  block.U16(interface.link_type);
  block.U16(0);
  block.U32(interface.snap_length);
  block.TextOption(kInterfaceName, interface.name);
  block.TextOption(kInterfaceDescriptionText, interface.description);
  block.U8Option(kTimeResolution, kMicroseconds);
  return block.Finish();
}

size_t WriteEnhancedPacket(const PcapngPacket& packet, absl::Span<uint8_t> out) {
  BlockWriter block(kEnhancedPacket, out);
  const auto captured = static_cast<uint32_t>(packet.head.size() + packet.body.size());
  block.U32(packet.interface);
  // High half first whatever the order of bytes; big endian that is one number.
  block.U64(packet.time_us);
  block.U32(captured);
  block.U32(std::max(captured, packet.original_size));
  block.Bytes(packet.head);
  block.Bytes(packet.body);
  block.Pad();
  block.U32Option(kPacketFlags,
                  packet.direction == PacketDirection::kIncoming ? kInbound : kOutbound);
  if (packet.dropped > 0) {
    block.U64Option(kPacketDropCount, packet.dropped);
  }
  return block.Finish();
}

size_t WriteInterfaceStatistics(const PcapngStatistics& statistics, absl::Span<uint8_t> out) {
  BlockWriter block(kInterfaceStatistics, out);
  block.U32(statistics.interface);
  block.U64(statistics.time_us);
  block.U64Option(kPacketsReceived, statistics.received);
  block.U64Option(kPacketsDropped, statistics.dropped);
  block.U64Option(kPacketsDelivered, statistics.delivered);
  return block.Finish();
}

}  // namespace sluice
