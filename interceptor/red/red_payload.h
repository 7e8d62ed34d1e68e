#ifndef INTERCEPTOR_RED_RED_PAYLOAD_H_
#define INTERCEPTOR_RED_RED_PAYLOAD_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "srtp/rtp_types.h"

namespace sluice {

// Limits of the header's fields: 14 bits of timestamp offset, 10 bits of length (RFC 2198
// section 3).
inline constexpr uint32_t kMaxRedTimestampOffset = (1u << 14) - 1;
inline constexpr size_t kMaxRedBlockSize = (1u << 10) - 1;
// In front of each redundant block's data, and of the primary's.
inline constexpr size_t kRedBlockHeaderSize = 4;
inline constexpr size_t kRedPrimaryHeaderSize = 1;
// "The use of multiple levels of redundancy is rarely necessary" (section 3): encoders of WebRTC
// have up to nine.
inline constexpr size_t kMaxRedBlocks = 16;

// An encoding of earlier.
struct RedBlock {
  PayloadType payload_type = PayloadType(0);
  // By how much its timestamp is before that of the packet, 0..kMaxRedTimestampOffset.
  uint32_t timestamp_offset = 0;
  // Up to kMaxRedBlockSize bytes.
  absl::Span<const uint8_t> data = {};
};

// What a packet with redundancy carries. Spans point into what was read.
struct RedPayload {
  // The first `count` are set; oldest first, as far as the sender followed custom.
  std::array<RedBlock, kMaxRedBlocks> blocks;
  size_t count = 0;
  PayloadType primary_type = PayloadType(0);
  // May be empty.
  absl::Span<const uint8_t> primary;
};

// Reads a payload, without padding, of RFC 2198 section 3 into `red`. False, and `red` means
// nothing, when headers do not end inside of it, blocks are longer than what is there, or there are
// more than kMaxRedBlocks of them.
[[nodiscard]] bool ReadRed(absl::Span<const uint8_t> payload, RedPayload& red);

// Bytes in front of the primary encoding.
size_t RedOverhead(absl::Span<const RedBlock> blocks);
// Writes them: all headers, and the data of `blocks`, which are within the limits above. `to` has
// exactly RedOverhead(blocks) bytes.
void WriteRedOverhead(absl::Span<const RedBlock> blocks, PayloadType primary_type,
                      absl::Span<uint8_t> to);

}  // namespace sluice

#endif  // INTERCEPTOR_RED_RED_PAYLOAD_H_
