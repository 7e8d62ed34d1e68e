#ifndef INTERCEPTOR_RED_REDUNDANCY_H_
#define INTERCEPTOR_RED_REDUNDANCY_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/timestamp.h"
#include "interceptor/interceptor.h"
#include "interceptor/red/red_decoder.h"
#include "interceptor/red/red_encoder.h"

namespace sluice {

struct RedundancyOptions {
  // As of the chain.
  size_t max_streams = 16;
  RedEncoderOptions encoder;
};

// Redundant audio (RFC 2198), both sides of it, for streams that have a format for it: each packet
// for the peer repeats those before it, and what the peer repeats restores those that did not come.
// Both sides of a leg are then free of redundancy for everything further from the wire.
class Redundancy : public Interceptor {
 public:
  // InvalidArgument when an option is out of its range.
  static absl::StatusOr<std::unique_ptr<Redundancy>> Create(const RedundancyOptions& options);

  InterceptorKind kind() const override { return InterceptorKind::kRedundancy; }
  InterceptorHooks hooks() const override {
    return {.incoming_rtp = true, .outgoing_rtp = true, .takes_packets = true};
  }
  void OnStreamAdded(Timestamp now, PacketDirection direction, StreamSlot slot,
                     const StreamInfo& info) override;
  void OnStreamRemoved(Timestamp now, PacketDirection direction, StreamSlot slot) override;
  void OnIncomingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                     InterceptorOutbox& out) override;
  void OnOutgoingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                     InterceptorOutbox& out) override;

  const RedEncoderCounters& encoder_counters() const { return encoder_counters_; }
  const RedDecoderCounters& decoder_counters() const { return decoder_counters_; }

 private:
  explicit Redundancy(const RedundancyOptions& options);

  // By slot.
  std::vector<RedEncoder> encoders_;
  std::vector<RedDecoder> decoders_;
  RedEncoderCounters encoder_counters_;
  RedDecoderCounters decoder_counters_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_RED_REDUNDANCY_H_
