#include "interceptor/fec/flexfec_header.h"

#include "base/byte_order.h"
#include "base/check.h"

namespace sluice {
namespace {

constexpr uint16_t kRetransmissionBit = 0x8000;
constexpr uint16_t kFixedMatrixBit = 0x4000;
constexpr uint16_t kRecoveryFlags = 0x3FFF;
constexpr size_t kSsrcCountOffset = 8;
constexpr size_t kSsrcOffset = 12;
constexpr size_t kBaseOffset = 16;

// A part of the mask: a bit that says that no other follows, then packets in order, highest bit
// first.
struct MaskPart {
  size_t offset;
  size_t bytes;
  size_t first;
};
constexpr MaskPart kParts[] = {{18, 2, 0}, {20, 4, 15}, {24, 8, 46}};

constexpr size_t BitsOf(const MaskPart& part) { return 8 * part.bytes - 1; }

uint64_t LoadPart(const MaskPart& part, const uint8_t* header) {
  const uint8_t* from = header + part.offset;
  return part.bytes == 2 ? LoadBe16(from) : (part.bytes == 4 ? LoadBe32(from) : LoadBe64(from));
}

void StorePart(const MaskPart& part, uint64_t word, uint8_t* header) {
  uint8_t* to = header + part.offset;
  if (part.bytes == 2) {
    StoreBe16(to, static_cast<uint16_t>(word));
  } else if (part.bytes == 4) {
    StoreBe32(to, static_cast<uint32_t>(word));
  } else {
    StoreBe64(to, word);
  }
}

}  // namespace

void WriteFlexFecHeader(const FlexFecHeader& header, absl::Span<uint8_t> to) {
  SLUICE_CHECK(to.size() == kFlexFecShortHeaderSize || to.size() == kFlexFecMiddleHeaderSize ||
               to.size() == kFlexFecLongHeaderSize);
  SLUICE_CHECK(!header.mask.empty() && FlexFecHeaderSize(header.mask.Last()) <= to.size());
  StoreBe16(&to[0], header.recovery.flags & kRecoveryFlags);
  StoreBe16(&to[2], header.recovery.length);
  StoreBe32(&to[4], header.recovery.timestamp);
  // The count of protected streams, and 24 reserved bits.
  StoreBe32(&to[kSsrcCountOffset], 1u << 24);
  StoreBe32(&to[kSsrcOffset], header.protected_ssrc.value());
  StoreBe16(&to[kBaseOffset], header.base.value());
  for (const MaskPart& part : kParts) {
    const size_t bits = BitsOf(part);
    const bool last = part.offset + part.bytes == to.size();
    uint64_t word = last ? uint64_t{1} << bits : 0;
    for (size_t i = 0; i < bits; ++i) {
      if (header.mask.Has(part.first + i)) {
        word |= uint64_t{1} << (bits - 1 - i);
      }
    }
    StorePart(part, word, to.data());
    if (last) {
      return;
    }
  }
}

FlexFecPacket ReadFlexFec(absl::Span<const uint8_t> payload) {
  if (payload.size() < kFlexFecShortHeaderSize) {
    return {FlexFecVerdict::kMalformed};
  }
  const uint16_t flags = LoadBe16(payload.data());
  if ((flags & (kRetransmissionBit | kFixedMatrixBit)) != 0 || payload[kSsrcCountOffset] != 1) {
    return {FlexFecVerdict::kUnsupported};
  }
  FlexFecPacket packet = {FlexFecVerdict::kOk};
  packet.header.recovery = {
      .flags = flags, .length = LoadBe16(&payload[2]), .timestamp = LoadBe32(&payload[4])};
  packet.header.protected_ssrc = Ssrc(LoadBe32(&payload[kSsrcOffset]));
  packet.header.base = SequenceNumber(LoadBe16(&payload[kBaseOffset]));
  for (const MaskPart& part : kParts) {
    const size_t end = part.offset + part.bytes;
    if (payload.size() < end) {
      break;
    }
    const size_t bits = BitsOf(part);
    const uint64_t word = LoadPart(part, payload.data());
    for (size_t i = 0; i < bits; ++i) {
      if ((word >> (bits - 1 - i) & 1) != 0) {
        packet.header.mask.Set(part.first + i);
      }
    }
    if (word >> bits != 0) {
      if (packet.header.mask.empty()) {
        break;
      }
      packet.repair_payload = payload.subspan(end);
      return packet;
    }
  }
  return {FlexFecVerdict::kMalformed};
}

}  // namespace sluice
