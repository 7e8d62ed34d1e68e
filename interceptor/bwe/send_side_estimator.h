#ifndef INTERCEPTOR_BWE_SEND_SIDE_ESTIMATOR_H_
#define INTERCEPTOR_BWE_SEND_SIDE_ESTIMATOR_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/data_rate.h"
#include "base/data_size.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "interceptor/bwe/application_limit.h"
#include "interceptor/bwe/arrival_groups.h"
#include "interceptor/bwe/delay_trend.h"
#include "interceptor/bwe/delivered_rate.h"
#include "interceptor/bwe/loss_limit.h"
#include "interceptor/bwe/probe.h"
#include "interceptor/bwe/probe_planner.h"
#include "interceptor/bwe/probe_rate.h"
#include "interceptor/bwe/rate_control.h"
#include "interceptor/packet_attributes.h"

namespace sluice {

struct SendSideEstimatorOptions {
  // 0 < min <= start <= max. The start rate suits any video call; probes find out quickly whether
  // there is more.
  DataRate min = DataRate::KilobitsPerSec(30);
  DataRate start = DataRate::KilobitsPerSec(300);
  DataRate max = DataRate::KilobitsPerSec(50'000);
  // Packets of one report that are looked at, 1..32768.
  size_t max_packets = 1024;
};

// What follows from a call.
struct EstimatorUpdate {
  // What may be sent from now on; nothing when it is what it was.
  std::optional<DataRate> target;
  // Whether there is less to send than that; nothing when it is as it was.
  std::optional<bool> application_limited;
  // To be begun now.
  ProbeList probes;
};

// What its parts believe, for statistics.
struct EstimatorSnapshot {
  DataRate target;
  DataRate delay_based;
  DataRate loss_based;
  std::optional<DataRate> delivered;
  PathUsage usage;
  double inherent_loss;
  bool application_limited;
  TimeDelta round_trip;
};

// What may be sent to a peer, from what it reports on the packets it got: Google congestion control
// (draft-ietf-rmcat-gcc-02 and the parts that libwebrtc added to it; README.md says which is
// where). The rate is the lower of what delay and what losses allow, and of what the peer asks for.
//
// Rates count the packets as they are given to this class: whatever it is told the size of. Memory
// is taken when it is made. One thread; times do not run backwards.
class SendSideEstimator {
 public:
  // InvalidArgument when an option is out of its range.
  static absl::StatusOr<std::unique_ptr<SendSideEstimator>> Create(
      const SendSideEstimatorOptions& options);

  // Packets go. True when something follows from it: then AfterSending says what.
  [[nodiscard]] bool OnPacketsSent(Timestamp now, DataSize size) {
    if (!unanswered_since_.has_value()) {
      unanswered_since_ = now;
    }
    sent_since_tick_ = true;
    if (next_timeout_ == Timestamp::PlusInfinity()) {
      next_timeout_ = now + kTick;
    }
    limit_changed_ = application_limit_.OnSent(now, size);
    return limit_changed_ || !started_;
  }
  EstimatorUpdate AfterSending(Timestamp now);
  EstimatorUpdate OnFeedback(const FeedbackReport& report);
  // Measured otherwise than by feedback, which waits a little at the peer.
  void OnRoundTrip(TimeDelta round_trip);
  // The peer accepts no more than this from now on. As long as it sends no feedback, that is all
  // there is to go by.
  EstimatorUpdate OnRemoteLimit(Timestamp now, DataRate limit);
  EstimatorUpdate OnTimeout(Timestamp now);
  // PlusInfinity while nothing is sent.
  Timestamp NextTimeout() const { return next_timeout_; }

  DataRate target() const { return target_; }
  EstimatorSnapshot snapshot() const;
  // Since construction: packets of reports beyond max_packets, and how often the rate was lowered
  // because nothing came back.
  uint64_t packets_passed_over() const { return packets_passed_over_; }
  uint64_t feedback_timeouts() const { return feedback_timeouts_; }

 private:
  // How often it looks for what time alone changes, while something is sent.
  static constexpr TimeDelta kTick = TimeDelta::Millis(100);

  explicit SendSideEstimator(const SendSideEstimatorOptions& options);

  // Fills `arrived_`.
  void SortByArrival(absl::Span<const PacketReport> packets);
  // The round trip that the newest packets took, feedback included.
  void MeasureRoundTrip(const FeedbackReport& report);
  // What probes in `arrived_` showed.
  std::optional<DataRate> ReadArrivals(Timestamp received);
  // The lowest of all limits.
  void SetTarget(EstimatorUpdate& update);
  void AddProbes(const ProbeList& list, EstimatorUpdate& update);

  const SendSideEstimatorOptions options_;
  DataRate target_;
  DataRate remote_limit_ = DataRate::PlusInfinity();

  ArrivalGroups groups_;
  DelayTrend trend_;
  DeliveredRate delivered_;
  RateControl rate_control_;
  LossLimit loss_limit_;
  ProbePlanner planner_;
  ProbeRate probe_rate_;
  ApplicationLimit application_limit_;

  // Of one report, by arrival; reserved in full.
  std::vector<PacketReport> arrived_;
  std::optional<Timestamp> last_feedback_;
  // The first packet that was sent since then.
  std::optional<Timestamp> unanswered_since_;
  Timestamp last_backoff_ = Timestamp::MinusInfinity();
  Timestamp next_timeout_ = Timestamp::PlusInfinity();
  bool started_ = false;
  bool sent_since_tick_ = false;
  bool limit_changed_ = false;
  TimeDelta round_trip_ = TimeDelta::Millis(200);
  bool round_trip_measured_ = false;

  uint64_t packets_passed_over_ = 0;
  uint64_t feedback_timeouts_ = 0;
};

}  // namespace sluice

#endif  // INTERCEPTOR_BWE_SEND_SIDE_ESTIMATOR_H_
