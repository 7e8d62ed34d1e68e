#ifndef INTERCEPTOR_RED_RED_ENCODER_H_
#define INTERCEPTOR_RED_RED_ENCODER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "interceptor/intercepted_packet.h"
#include "interceptor/red/red_payload.h"
#include "srtp/rtp_types.h"

namespace sluice {

struct RedEncoderOptions {
  // Earlier packets repeated in each, 1..RedEncoder::kMaxBlocks: one outlasts single losses, two
  // outlast pairs.
  size_t blocks = 1;
  // Redundancy is left out where a packet would be longer, kRtpFixedHeaderSize..kMaxDatagramSize.
  size_t max_packet_size = 1200;
};

// Since construction, all streams together.
struct RedEncoderCounters {
  // Packets wrapped, and earlier ones repeated in them.
  uint64_t wrapped = 0;
  uint64_t blocks = 0;
  // Left as they were: of another format than the primary one, or padding only; without room for a
  // header.
  uint64_t other_format = 0;
  uint64_t too_long = 0;
  // Packets that are not repeated: longer than a block may be. Blocks left out because their time
  // is too far away or the same, or the packet would be too long.
  uint64_t not_repeatable = 0;
  uint64_t left_out = 0;
};

// Makes the packets of one stream packets with redundancy (RFC 2198). Who opens one takes the
// blocks for the packets right before it: so the numbers repeated have no gap, up to the packet's
// own. Payloads are copied when they pass.
class RedEncoder {
 public:
  static constexpr size_t kMaxBlocks = 2;

  explicit RedEncoder(const RedEncoderOptions& options) : options_(options) {}

  // A new stream, whose packets of the type `primary` get the type `redundancy`.
  void Begin(PayloadType redundancy, PayloadType primary);
  void End() { active_ = false; }
  bool active() const { return active_; }

  // Wraps a packet of the stream, in its slot. Padding is left out.
  void Wrap(InterceptedRtp& packet, RedEncoderCounters& counters);

 private:
  // A payload that passed, in the place of its number.
  struct Passed {
    bool valid = false;
    uint16_t sequence = 0;
    uint32_t timestamp = 0;
    uint16_t size = 0;
    std::array<uint8_t, kMaxRedBlockSize> bytes;
  };
  using Blocks = std::array<RedBlock, kMaxBlocks>;

  // Fills the end of `blocks`, oldest first; the answer is that end.
  absl::Span<const RedBlock> FindBlocks(const RtpPacketView& packet, size_t plain_size,
                                        Blocks& blocks, RedEncoderCounters& counters) const;
  void Remember(SequenceNumber sequence, RtpTimestamp timestamp, absl::Span<const uint8_t> payload,
                RedEncoderCounters& counters);

  const RedEncoderOptions options_;
  bool active_ = false;
  PayloadType redundancy_ = PayloadType(0);
  PayloadType primary_ = PayloadType(0);
  std::optional<uint16_t> newest_;
  std::array<Passed, kMaxBlocks> passed_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_RED_RED_ENCODER_H_
