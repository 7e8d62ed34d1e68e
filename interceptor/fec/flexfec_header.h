#ifndef INTERCEPTOR_FEC_FLEXFEC_HEADER_H_
#define INTERCEPTOR_FEC_FLEXFEC_HEADER_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "interceptor/fec/packet_mask.h"
#include "srtp/rtp_types.h"

namespace sluice {

// What the first twelve bytes of protected packets sum up to, modulo 2, as far as the receiver
// cannot know them.
struct RecoveryFields {
  // P, X, CC, M and PT (RFC 3550 section 5.1) where they are in the header; the upper two bits, of
  // the version there, are 0.
  uint16_t flags = 0;
  // Bytes behind the fixed header: CSRCs, extension, payload and padding.
  uint16_t length = 0;
  uint32_t timestamp = 0;

  friend bool operator==(const RecoveryFields& a, const RecoveryFields& b) = default;
};

// The header of a repair packet's payload with a flexible mask, for one protected stream
// (draft-ietf-payload-flexible-fec-scheme-03 section 4.2.2.1).
struct FlexFecHeader {
  RecoveryFields recovery;
  Ssrc protected_ssrc = Ssrc(0);
  // What the mask counts from.
  SequenceNumber base = SequenceNumber(0);
  PacketMask mask;
};

// By the length of the mask: up to 15, 46 or 109 packets.
inline constexpr size_t kFlexFecShortHeaderSize = 20;
inline constexpr size_t kFlexFecMiddleHeaderSize = 24;
inline constexpr size_t kFlexFecLongHeaderSize = 32;

// The smallest header for a mask whose highest number is `last`, below PacketMask::kMaxPackets.
constexpr size_t FlexFecHeaderSize(size_t last) {
  return last < 15 ? kFlexFecShortHeaderSize
                   : (last < 46 ? kFlexFecMiddleHeaderSize : kFlexFecLongHeaderSize);
}

// Fills `to`, whose size is one of the three and enough for the mask.
void WriteFlexFecHeader(const FlexFecHeader& header, absl::Span<uint8_t> to);

enum class FlexFecVerdict : uint8_t {
  kOk,
  // Shorter than its header, a mask without end, or one of no packets.
  kMalformed,
  // A retransmission (R = 1), a fixed matrix instead of a mask (F = 1), or not exactly one
  // protected stream. We offer none of them.
  kUnsupported,
};

struct FlexFecPacket {
  FlexFecVerdict verdict;
  // With kOk only. The payload points into what was read.
  FlexFecHeader header = {};
  absl::Span<const uint8_t> repair_payload = {};
};

// Reads a repair packet's payload, without padding. Reserved bits are ignored.
FlexFecPacket ReadFlexFec(absl::Span<const uint8_t> payload);

}  // namespace sluice

#endif  // INTERCEPTOR_FEC_FLEXFEC_HEADER_H_
