#include "interceptor/red/red_payload.h"

#include "base/byte_order.h"
#include "base/check.h"

namespace sluice {
namespace {

constexpr uint8_t kFollowedBit = 0x80;
constexpr uint8_t kTypeBits = 0x7F;
constexpr unsigned kLengthBits = 10;

}  // namespace

bool ReadRed(absl::Span<const uint8_t> payload, RedPayload& red) {
  std::array<size_t, kMaxRedBlocks> sizes;
  red.count = 0;
  size_t at = 0;
  while (at < payload.size() && (payload[at] & kFollowedBit) != 0) {
    if (red.count == kMaxRedBlocks || payload.size() - at < kRedBlockHeaderSize) {
      return false;
    }
    const uint32_t offset_and_size = LoadBe24(&payload[at + 1]);
    RedBlock& block = red.blocks[red.count];
    block.payload_type = PayloadType(payload[at] & kTypeBits);
    block.timestamp_offset = offset_and_size >> kLengthBits;
    sizes[red.count] = offset_and_size & kMaxRedBlockSize;
    ++red.count;
    at += kRedBlockHeaderSize;
  }
  if (at == payload.size()) {
    return false;
  }
  red.primary_type = PayloadType(payload[at++]);
  for (size_t i = 0; i < red.count; ++i) {
    if (sizes[i] > payload.size() - at) {
      return false;
    }
    red.blocks[i].data = payload.subspan(at, sizes[i]);
    at += sizes[i];
  }
  red.primary = payload.subspan(at);
  return true;
}

size_t RedOverhead(absl::Span<const RedBlock> blocks) {
  size_t size = kRedPrimaryHeaderSize;
  for (const RedBlock& block : blocks) {
    size += kRedBlockHeaderSize + block.data.size();
  }
  return size;
}

void WriteRedOverhead(absl::Span<const RedBlock> blocks, PayloadType primary_type,
                      absl::Span<uint8_t> to) {
  SLUICE_CHECK(to.size() == RedOverhead(blocks));
  size_t header = 0;
  size_t data = blocks.size() * kRedBlockHeaderSize + kRedPrimaryHeaderSize;
  for (const RedBlock& block : blocks) {
    SLUICE_CHECK(block.timestamp_offset <= kMaxRedTimestampOffset &&
                 block.data.size() <= kMaxRedBlockSize);
    to[header] = static_cast<uint8_t>(kFollowedBit | block.payload_type.value());
    StoreBe24(&to[header + 1],
              block.timestamp_offset << kLengthBits | static_cast<uint32_t>(block.data.size()));
    header += kRedBlockHeaderSize;
    CopyBytes(to.subspan(data), block.data);
    data += block.data.size();
  }
  to[header] = primary_type.value() & kTypeBits;
}

}  // namespace sluice
