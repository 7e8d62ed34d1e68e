#ifndef INTERCEPTOR_JITTER_JITTER_BUFFER_H_
#define INTERCEPTOR_JITTER_JITTER_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/sequence_unwrapper.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "interceptor/interceptor.h"
#include "interceptor/jitter/playout_delay.h"
#include "interceptor/jitter/reorder_ring.h"
#include "interceptor/report/clock_rates.h"
#include "srtp/rtp_types.h"

namespace sluice {

struct JitterBufferOptions {
  // As of the chain.
  size_t max_streams = 16;
  // Packets of a stream that may wait, a power of two in 16..4096: half a second of 8 Mbit/s.
  size_t capacity = 512;
  // Packets of all streams that may wait, 1..65536: slots of the arena that others cannot have.
  size_t max_held = 1024;
  PlayoutDelayOptions delay;
};

// Since construction.
struct JitterBufferCounters {
  // Packets given on.
  uint64_t delivered = 0;
  // Packets that never came in time.
  uint64_t missing = 0;
  // Dropped: their turn was over; they were there already; alone and far from all others; nothing
  // in them but padding.
  uint64_t late = 0;
  uint64_t duplicates = 0;
  uint64_t far = 0;
  uint64_t padding_only = 0;
  // Given before their turn to make room: the limits of packets that wait.
  uint64_t pushed_out = 0;
  // How often a stream began anew.
  uint64_t restarts = 0;
  // Dropped because the outbox was full.
  uint64_t delivery_dropped = 0;
};

// Gives the packets of each stream in order, at the pace of their timestamps, after a delay that
// follows the path (playout_delay.h); what is late is dropped, what is missing is not waited for
// beyond the turn of the packet behind it. Each stream has a buffer of its own. Attributes do not
// outlive the batch that a packet came with; its source is kept.
//
// Takes the media of all incoming streams. Other packets pass.
class JitterBuffer : public Interceptor {
 public:
  // InvalidArgument when an option is out of its range.
  static absl::StatusOr<std::unique_ptr<JitterBuffer>> Create(const JitterBufferOptions& options);

  InterceptorKind kind() const override { return InterceptorKind::kJitterBuffer; }
  InterceptorHooks hooks() const override {
    return {.incoming_rtp = true, .timeout = true, .takes_packets = true};
  }
  void OnStreamAdded(Timestamp now, PacketDirection direction, StreamSlot slot,
                     const StreamInfo& info) override;
  void OnStreamRemoved(Timestamp now, PacketDirection direction, StreamSlot slot) override;
  void OnIncomingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                     InterceptorOutbox& out) override;
  void OnTimeout(Timestamp now, InterceptorOutbox& out) override;
  Timestamp NextTimeout() const override { return next_due_; }

  const JitterBufferCounters& counters() const { return counters_; }
  // Packets that wait now, of all streams; placeholders of padding included.
  size_t held() const { return held_; }
  // How long packets of a stream wait at present, beyond the fastest; `slot` is below max_streams.
  TimeDelta target(StreamSlot slot) const { return streams_[slot.value()].delay.target(); }

 private:
  // In one call: so that a pause of ours does not become a burst that fills the outbox, which has
  // room for four of these. The rest follows at once, in the next call.
  static constexpr size_t kMaxReleases = 64;

  struct Stream {
    explicit Stream(const JitterBufferOptions& options)
        : ring(options.capacity), delay(options.delay) {}

    bool active = false;
    ClockRates clocks;
    // Of timestamps, in units of clock_rate.
    SequenceUnwrapper<uint32_t> timestamps;
    uint32_t clock_rate = 0;
    // Of the last packet.
    int64_t media_us = 0;
    ReorderRing ring;
    PlayoutDelay delay;
  };

  explicit JitterBuffer(const JitterBufferOptions& options);

  void Insert(Timestamp arrival, Stream& stream, InterceptedRtp& packet, InterceptorOutbox& out);
  // Makes a place that Find gave one where the packet fits. False: the packet is not wanted.
  bool Prepare(uint16_t sequence, ReorderRing::Place& place, Stream& stream,
               InterceptorOutbox& out);
  // The packet's place in the media, in microseconds from any origin.
  static int64_t MediaTime(RtpTimestamp timestamp, uint32_t clock_rate, Stream& stream);
  static Timestamp NextTurn(const Stream& stream);
  void ReleaseDue(Timestamp now, Stream& stream, InterceptorOutbox& out);
  // Gives the first packet of the stream, which has one.
  void ReleaseFront(Stream& stream, InterceptorOutbox& out);
  void ReleaseAll(Stream& stream, InterceptorOutbox& out);
  void Drop(Stream& stream);

  const JitterBufferOptions options_;
  // By slot.
  std::vector<Stream> streams_;
  size_t held_ = 0;
  size_t releases_ = 0;
  // Not later than any stream's.
  Timestamp next_due_ = Timestamp::PlusInfinity();
  JitterBufferCounters counters_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_JITTER_JITTER_BUFFER_H_
