#ifndef INTERCEPTOR_KEYFRAME_KEY_FRAME_THROTTLE_H_
#define INTERCEPTOR_KEYFRAME_KEY_FRAME_THROTTLE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "interceptor/interceptor.h"
#include "interceptor/keyframe/key_frame_request.h"
#include "srtp/rtp_types.h"

namespace sluice {

struct KeyFrameThrottleOptions {
  // Who asks: an SSRC of ours.
  Ssrc sender = Ssrc(0);
  // As of the chain.
  size_t max_streams = 16;
  // How the peer is asked. Where the codec does not tell key frames, media that flows after a
  // request ends it.
  KeyFrameRequestOptions request = {};
};

// Since construction.
struct KeyFrameThrottleCounters {
  // Of streams from the peer: needs raised; requests sent, by kind; repetitions among them; needs
  // that made no request of their own; key frames that were waited for; requests that media ended
  // whose key frames cannot be told; requests given up.
  uint64_t needs = 0;
  uint64_t pli_sent = 0;
  uint64_t fir_sent = 0;
  uint64_t repeated = 0;
  uint64_t coalesced = 0;
  uint64_t satisfied = 0;
  uint64_t ended_by_media = 0;
  uint64_t given_up = 0;
  // Needs of streams that are not there or no video; that have no way to ask; requests that the
  // outbox had no room for.
  uint64_t unknown_stream = 0;
  uint64_t unsupported = 0;
  uint64_t dropped = 0;
  // Of streams to the peer: what it sent, FIR by target; the same FIR once more; for SSRCs that are
  // no video stream of ours; requests raised; those that made none of their own.
  uint64_t pli_received = 0;
  uint64_t fir_received = 0;
  uint64_t fir_repeated = 0;
  uint64_t unknown_target = 0;
  uint64_t raised = 0;
  uint64_t raised_coalesced = 0;
  // Malformed RTCP in datagrams.
  uint64_t malformed = 0;
};

// Requests for key frames of video streams, both ways, few enough that a storm of them reaches
// nobody.
//
// From the peer: KeyFrameNeeded becomes a PLI (RFC 4585 section 6.3.1), or a FIR (RFC 5104
// section 4.3.1) where only that was negotiated, repeated until a key frame comes or it is given
// up. To the peer: its PLI and FIR become KeyFrameRequested, at most one in each interval and none
// for what a key frame has answered meanwhile; repeating is left to who asks the source.
class KeyFrameThrottle : public Interceptor {
 public:
  // InvalidArgument when an option is out of its range.
  static absl::StatusOr<std::unique_ptr<KeyFrameThrottle>> Create(
      const KeyFrameThrottleOptions& options);

  InterceptorKind kind() const override { return InterceptorKind::kKeyFrameThrottle; }
  InterceptorHooks hooks() const override {
    return {.incoming_rtp = true,
            .incoming_rtcp = true,
            .outgoing_rtp = true,
            .events = true,
            .timeout = true};
  }
  void OnStreamAdded(Timestamp now, PacketDirection direction, StreamSlot slot,
                     const StreamInfo& info) override;
  void OnStreamRemoved(Timestamp now, PacketDirection direction, StreamSlot slot) override;
  void OnIncomingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                     InterceptorOutbox& out) override;
  void OnIncomingRtcp(Timestamp now, absl::Span<InterceptedRtcp> packets,
                      InterceptorOutbox& out) override;
  void OnOutgoingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                     InterceptorOutbox& out) override;
  void OnEvent(Timestamp now, const InterceptorEvent& event, InterceptorOutbox& out) override;
  void OnTimeout(Timestamp now, InterceptorOutbox& out) override;
  Timestamp NextTimeout() const override { return next_due_; }

  const KeyFrameThrottleCounters& counters() const { return counters_; }

 private:
  struct Stream {
    bool active = false;
    // Kept when the stream ends, for the number below.
    StreamInfo info;
    // From the peer: its key frames cannot be told.
    bool any_media_answers = false;
    KeyFrameRequestOptions options;
    KeyFrameRequest request;
    // From the peer: of the last FIR sent, kept when the stream ends, so that the first one of a
    // stream that comes back is no repetition. To the peer: of the last FIR received.
    uint8_t fir_sequence = 0;
    // To the peer: when the first FIR with that number came.
    Timestamp fir_received = Timestamp::MinusInfinity();
  };

  explicit KeyFrameThrottle(const KeyFrameThrottleOptions& options);

  std::vector<Stream>& streams(PacketDirection direction) {
    return streams_[static_cast<size_t>(direction)];
  }
  // The video stream with this SSRC; null when there is none.
  Stream* Find(PacketDirection direction, Ssrc ssrc);
  // Ends what key frames among the packets answer.
  void LookForKeyFrames(Timestamp now, PacketDirection direction,
                        absl::Span<const InterceptedRtp> packets);
  // Whether the packet ended what the stream waited for.
  bool Answers(Timestamp now, PacketDirection direction, const RtpPacketView& packet,
               Stream& stream);
  // The peer wants a key frame.
  void OnRequest(Timestamp now, Stream* stream, InterceptorOutbox& out);
  void OnFullIntraTarget(Timestamp now, Ssrc ssrc, uint8_t sequence, InterceptorOutbox& out);
  void AskPeer(KeyFrameAction action, Stream& stream, InterceptorOutbox& out);
  void AskSource(KeyFrameAction action, const Stream& stream, InterceptorOutbox& out);
  // Brings up to date what depends on all streams.
  void Refresh();

  const KeyFrameThrottleOptions options_;
  TimeDelta round_trip_ = TimeDelta::Zero();
  // By direction and slot.
  std::array<std::vector<Stream>, 2> streams_;
  // By direction: whether any stream waits for a key frame, so that the packets of the others cost
  // nothing.
  std::array<bool, 2> waiting_ = {};
  Timestamp next_due_ = Timestamp::PlusInfinity();
  KeyFrameThrottleCounters counters_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_KEYFRAME_KEY_FRAME_THROTTLE_H_
