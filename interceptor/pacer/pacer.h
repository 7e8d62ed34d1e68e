#ifndef INTERCEPTOR_PACER_PACER_H_
#define INTERCEPTOR_PACER_PACER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/data_rate.h"
#include "base/data_size.h"
#include "base/random_source.h"
#include "base/ring_buffer.h"
#include "base/timestamp.h"
#include "interceptor/interceptor.h"
#include "interceptor/pacer/leaky_bucket.h"
#include "interceptor/pacer/probe_run.h"
#include "interceptor/pacer/probe_stream.h"

namespace sluice {

struct PacerOptions {
  // As of the chain.
  size_t max_streams = 16;
  // Packets that may wait, 1..4096 each: media with parity, half a second at 12 Mbit/s; and
  // retransmissions, which go first.
  size_t queue = 512;
  size_t retransmission_queue = 128;
  // Until an estimator says otherwise; above 0.
  DataRate start_target = DataRate::KilobitsPerSec(300);
  // How fast a queue is emptied, in percent of the target, 100..1000. A little more than the
  // target, so that a source that keeps to it leaves nothing waiting; the closer to it, the less
  // packets queue on the path, whose changing delay the estimator would take for overuse.
  int64_t pace_percent = 110;
  // No packet waits longer: the queue is emptied faster where the pace would not do.
  TimeDelta max_wait = TimeDelta::Millis(500);
  // Fills probes that media cannot. Nothing: probes have media only.
  std::optional<ProbeStreamOptions> probe_stream = std::nullopt;
};

// Since construction.
struct PacerCounters {
  // Went at once; waited; were refused by a full queue; waited for a stream that was removed.
  uint64_t passed = 0;
  uint64_t queued = 0;
  uint64_t dropped_full = 0;
  uint64_t dropped_removed = 0;
  // Packets of the probe stream, and those there was no slot for.
  uint64_t probe_packets = 0;
  uint64_t probe_packets_without_slot = 0;
};

// Spreads packets over time, so that a frame does not fill the path's queue: what exceeds the pace
// waits, as loans, in queues of fixed length. Audio never waits, but is charged. Marks packets of
// probes, which go faster, for the feedback to them (PacketAttributes::probe_cluster). Listens to
// TargetRateChanged and ProbeWanted.
class Pacer : public Interceptor {
 public:
  // InvalidArgument when an option is out of its range. `random` is used in this call only.
  static absl::StatusOr<std::unique_ptr<Pacer>> Create(const PacerOptions& options,
                                                       RandomSource& random);

  InterceptorKind kind() const override { return InterceptorKind::kPacer; }
  InterceptorHooks hooks() const override {
    return {.outgoing_rtp = true, .events = true, .timeout = true, .takes_packets = true};
  }
  void OnStreamAdded(Timestamp now, PacketDirection direction, StreamSlot slot,
                     const StreamInfo& info) override;
  void OnStreamRemoved(Timestamp now, PacketDirection direction, StreamSlot slot) override;
  void OnOutgoingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                     InterceptorOutbox& out) override;
  void OnEvent(Timestamp now, const InterceptorEvent& event, InterceptorOutbox& out) override;
  void OnTimeout(Timestamp now, InterceptorOutbox& out) override;
  Timestamp NextTimeout() const override;

  const PacerCounters& counters() const { return counters_; }
  const ProbeRun& probes() const { return probes_; }
  size_t queued_packets() const { return media_.size() + retransmissions_.size(); }
  DataSize queued_size() const { return queued_size_; }

 private:
  struct Waiting {
    // Empty when its stream was removed.
    PacketLoan packet;
    PacketSource source;
    StreamSlot stream;
  };
  using Queue = RingBuffer<Waiting>;

  Pacer(const PacerOptions& options, RandomSource& random);

  bool GoesAtOnce(Timestamp now, const InterceptedRtp& packet) const;
  void Keep(Timestamp now, InterceptedRtp& packet);
  void RemoveFrom(Queue& queue, StreamSlot stream);
  // The pace, or faster where packets would wait too long.
  void SetPace(Timestamp now);
  bool MaySend(Timestamp now) const;
  // Charges a packet that goes; the cluster of the probe that it belongs to, 0: to none.
  uint32_t Charge(Timestamp now, size_t size);
  // Sends what may go.
  void Drain(Timestamp now, InterceptorOutbox& out);
  bool SendWaiting(Timestamp now, InterceptorOutbox& out);
  bool SendProbePacket(Timestamp now, InterceptorOutbox& out);

  const PacerOptions options_;
  DataRate target_;
  LeakyBucket bucket_;
  ProbeRun probes_;
  std::optional<ProbeStream> probe_stream_;
  Queue media_;
  Queue retransmissions_;
  DataSize queued_size_ = DataSize::Zero();
  // By slot: its media do not wait.
  std::vector<bool> audio_;
  // Media was sent: there is a path to probe.
  bool started_ = false;
  PacerCounters counters_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_PACER_PACER_H_
