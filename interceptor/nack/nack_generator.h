#ifndef INTERCEPTOR_NACK_NACK_GENERATOR_H_
#define INTERCEPTOR_NACK_NACK_GENERATOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "interceptor/interceptor.h"
#include "interceptor/nack/missing_packets.h"
#include "interceptor/nack/receive_log.h"
#include "interceptor/nack/repair_interval.h"
#include "srtp/rtp_types.h"

namespace sluice {

struct NackGeneratorOptions {
  // Who asks: an SSRC of ours.
  Ssrc sender = Ssrc(0);
  // As of the chain.
  size_t max_streams = 16;
  // Packets of a stream that are remembered as received, a power of two in 64..16384: 5 Mbit/s of
  // 1200 bytes for two seconds.
  size_t window = 1024;
  // Packets of a stream that may be missing at a time, 1..4096.
  size_t max_missing = 256;
  // Packets between two that may be asked for, 1..max_missing and below the window. A longer gap is
  // no loss to be repaired: nothing of it is asked for, and the stream begins anew behind it.
  size_t max_gap = 256;
  // How often a packet is asked for, 1..255.
  int max_attempts = 10;
  // How long a packet may be late before it is asked for: reordering is no loss. At most a second.
  TimeDelta hold_off = TimeDelta::Millis(5);
  // Assumed until one was measured, more than 0.
  TimeDelta initial_round_trip = TimeDelta::Millis(100);
};

// Since construction.
struct NackGeneratorCounters {
  // Packets found missing.
  uint64_t missing = 0;
  // ... that came without being asked for, ... after they were asked for.
  uint64_t reordered = 0;
  uint64_t repaired = 0;
  // ... that were asked for often enough, or fell out of the window.
  uint64_t given_up = 0;
  // ... that made room for others: the limit of packets missing.
  uint64_t pushed_out = 0;
  // NACK packets sent, what they asked for, and those the outbox had no room for.
  uint64_t nacks_sent = 0;
  uint64_t requests_sent = 0;
  uint64_t nacks_delayed = 0;
  // Media packets: seen before; far from the others and alone; how often a stream began anew.
  uint64_t duplicates = 0;
  uint64_t far = 0;
  uint64_t restarts = 0;
  // Retransmissions: made the packets that they repeat; dropped, because that packet is there
  // already, because it is far from the stream, because there is only padding, because they are not
  // what was negotiated.
  uint64_t restored = 0;
  uint64_t restored_duplicates = 0;
  uint64_t restored_far = 0;
  uint64_t padding_only = 0;
  uint64_t malformed = 0;
};

// Repair on the receiving side: asks for what is missing of streams with generic NACK (RFC 4585
// section 6.2.1), and makes retransmissions (RFC 4588) the packets that they repeat, whose origin
// is then in PacketAttributes::retransmission. Whatever has a number counts as received, padding or
// not. What cannot be repaired is told: KeyFrameNeeded, for video.
//
// Retransmissions that repeat nothing are taken; media never is.
class NackGenerator : public Interceptor {
 public:
  // InvalidArgument when an option is out of its range.
  static absl::StatusOr<std::unique_ptr<NackGenerator>> Create(const NackGeneratorOptions& options);

  InterceptorKind kind() const override { return InterceptorKind::kNackGenerator; }
  InterceptorHooks hooks() const override {
    return {.incoming_rtp = true, .events = true, .timeout = true, .takes_packets = true};
  }
  void OnStreamAdded(Timestamp now, PacketDirection direction, StreamSlot slot,
                     const StreamInfo& info) override;
  void OnStreamRemoved(Timestamp now, PacketDirection direction, StreamSlot slot) override;
  void OnIncomingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                     InterceptorOutbox& out) override;
  void OnEvent(Timestamp now, const InterceptorEvent& event, InterceptorOutbox& out) override;
  void OnTimeout(Timestamp now, InterceptorOutbox& out) override;
  Timestamp NextTimeout() const override { return next_due_; }

  const NackGeneratorCounters& counters() const { return counters_; }
  // Packets missing now, of all streams.
  size_t missing() const;

 private:
  struct Stream {
    explicit Stream(const NackGeneratorOptions& options)
        : log(options.window, options.max_gap),
          missing(options.max_missing, options.max_attempts) {}

    bool active = false;
    // Whether packets are asked for.
    bool asks = false;
    StreamInfo info;
    ReceiveLog log;
    MissingPackets missing;
  };

  explicit NackGenerator(const NackGeneratorOptions& options);

  // What a record that is not simply the next packet means.
  void Consider(Timestamp now, const ReceiveRecord& record, Stream& stream, InterceptorOutbox& out);
  void HandleRetransmission(Timestamp now, Stream& stream, InterceptedRtp& packet,
                            InterceptorOutbox& out);
  // Whether the packet is one that did not come before.
  bool RecordRestored(Timestamp now, SequenceNumber sequence, Stream& stream,
                      InterceptorOutbox& out);
  void SendNacks(Timestamp now, Stream& stream, InterceptorOutbox& out);
  // Packets of the stream will not come any more.
  static void RaiseLoss(const Stream& stream, InterceptorOutbox& out);

  const NackGeneratorOptions options_;
  RepairInterval interval_;
  // By slot.
  std::vector<Stream> streams_;
  // Not later than any stream's.
  Timestamp next_due_ = Timestamp::PlusInfinity();
  NackGeneratorCounters counters_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_NACK_NACK_GENERATOR_H_
