#include "interceptor/bwe/send_side_estimator.h"

#include <algorithm>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace sluice {
namespace {

// After a pause of this length the path is another one.
constexpr TimeDelta kPause = TimeDelta::Seconds(2);
// Nothing came back for so long, beside the round trip: the rate falls to four fifths, and again
// every second.
constexpr TimeDelta kFeedbackTimeout = TimeDelta::Seconds(3);
constexpr TimeDelta kBackoffInterval = TimeDelta::Seconds(1);
constexpr int64_t kBackoffPercent = 80;
// A round trip beyond this is a broken clock.
constexpr TimeDelta kMaxRoundTrip = TimeDelta::Seconds(10);
constexpr size_t kMaxPackets = 32768;

}  // namespace

absl::StatusOr<std::unique_ptr<SendSideEstimator>> SendSideEstimator::Create(
    const SendSideEstimatorOptions& options) {
  if (options.min <= DataRate::Zero() || options.min > options.start ||
      options.start > options.max || !options.max.IsFinite()) {
    return absl::InvalidArgumentError(absl::StrCat("rates are ", options.min, ", ", options.start,
                                                   " and ", options.max,
                                                   ", want 0 < min <= start <= max"));
  }
  if (options.max_packets < 1 || options.max_packets > kMaxPackets) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_packets is ", options.max_packets, ", want 1..", kMaxPackets));
  }
  return absl::WrapUnique(new SendSideEstimator(options));
}

SendSideEstimator::SendSideEstimator(const SendSideEstimatorOptions& options)
    : options_(options),
      target_(options.start),
      rate_control_(options.min, options.start, options.max),
      loss_limit_(options.min, options.start, options.max),
      planner_(options.max),
      application_limit_(options.start) {
  arrived_.reserve(options.max_packets);
}

EstimatorSnapshot SendSideEstimator::snapshot() const {
  return {.target = target_,
          .delay_based = rate_control_.estimate(),
          .loss_based = loss_limit_.limit(),
          .delivered = delivered_.rate(),
          .usage = trend_.usage(),
          .inherent_loss = loss_limit_.inherent_loss(),
          .application_limited = application_limit_.limited(),
          .round_trip = round_trip_};
}

void SendSideEstimator::AddProbes(const ProbeList& list, EstimatorUpdate& update) {
  for (const Probe& probe : list.probes()) {
    // What the peer does not accept needs no measuring. There is room for those of one call.
    if (probe.rate <= remote_limit_ && update.probes.HasRoom()) {
      probe_rate_.Begin(probe);
      update.probes.Add(probe);
    }
  }
}

EstimatorUpdate SendSideEstimator::AfterSending(Timestamp now) {
  EstimatorUpdate update;
  if (!started_) {
    started_ = true;
    AddProbes(planner_.OnStart(now, target_), update);
  }
  if (limit_changed_) {
    limit_changed_ = false;
    update.application_limited = application_limit_.limited();
    if (!application_limit_.limited()) {
      delivered_.ExpectChange();
    }
  }
  return update;
}

void SendSideEstimator::OnRoundTrip(TimeDelta round_trip) {
  round_trip_ = std::clamp(round_trip, TimeDelta::Zero(), kMaxRoundTrip);
  round_trip_measured_ = true;
  rate_control_.SetRoundTrip(round_trip_);
}

void SendSideEstimator::MeasureRoundTrip(const FeedbackReport& report) {
  if (round_trip_measured_) {
    return;
  }
  TimeDelta shortest = kMaxRoundTrip;
  for (const PacketReport& packet : report.packets) {
    if (packet.arrived.IsFinite()) {
      shortest = std::min(shortest, report.received - packet.sent);
    }
  }
  if (shortest < kMaxRoundTrip) {
    round_trip_ = std::max(shortest, TimeDelta::Zero());
    rate_control_.SetRoundTrip(round_trip_);
  }
}

void SendSideEstimator::SortByArrival(absl::Span<const PacketReport> packets) {
  arrived_.clear();
  for (const PacketReport& packet : packets) {
    if (packet.arrived.IsFinite()) {
      arrived_.push_back(packet);
    }
  }
  const auto earlier = [](const PacketReport& a, const PacketReport& b) {
    return a.arrived != b.arrived ? a.arrived < b.arrived : a.sequence < b.sequence;
  };
  if (!std::is_sorted(arrived_.begin(), arrived_.end(), earlier)) {
    std::sort(arrived_.begin(), arrived_.end(), earlier);
  }
}

std::optional<DataRate> SendSideEstimator::ReadArrivals(Timestamp received) {
  const bool limited = application_limit_.limited();
  std::optional<DataRate> probed;
  for (const PacketReport& packet : arrived_) {
    delivered_.Add(packet.arrived, packet.size, limited);
    const std::optional<GroupDelta> delta = groups_.Add(packet.sent, packet.arrived, received);
    if (delta.has_value()) {
      trend_.Update(*delta, packet.arrived);
    }
    if (packet.probe_cluster != 0) {
      const std::optional<DataRate> rate = probe_rate_.Add(packet);
      if (rate.has_value()) {
        probed = rate;
      }
    }
  }
  return probed;
}

EstimatorUpdate SendSideEstimator::OnFeedback(const FeedbackReport& report) {
  EstimatorUpdate update;
  const Timestamp now = report.received;
  absl::Span<const PacketReport> packets = report.packets;
  if (packets.size() > options_.max_packets) {
    packets_passed_over_ += packets.size() - options_.max_packets;
    packets.remove_prefix(packets.size() - options_.max_packets);
  }
  if (last_feedback_.has_value() && now - *last_feedback_ > kPause) {
    groups_.Reset();
    trend_.Reset();
  }
  last_feedback_ = now;
  unanswered_since_.reset();
  MeasureRoundTrip(report);
  for (const PacketReport& packet : packets) {
    loss_limit_.Add(packet);
  }
  SortByArrival(packets);

  const PathUsage before = trend_.usage();
  const std::optional<DataRate> probed = ReadArrivals(now);
  const PathUsage usage = trend_.usage();
  const std::optional<DataRate> delivered = delivered_.rate();
  if (probed.has_value() && usage != PathUsage::kOverusing) {
    // A probe that fails for lack of packets takes nothing away that arrives anyway.
    rate_control_.OnProbe(now,
                          delivered.has_value()
                              ? std::max(*probed, std::min(*delivered, rate_control_.estimate()))
                              : *probed);
  } else {
    rate_control_.Update(now, usage, delivered, application_limit_.limited());
  }
  loss_limit_.Update(now, rate_control_.estimate(), delivered);
  SetTarget(update);
  if (started_) {
    AddProbes(planner_.OnEstimate(now, target_), update);
  }
  if (before == PathUsage::kUnderusing && usage == PathUsage::kNormal) {
    AddProbes(planner_.OnRecovered(now, application_limit_), update);
  }
  return update;
}

void SendSideEstimator::SetTarget(EstimatorUpdate& update) {
  const DataRate allowed = std::min({rate_control_.estimate(), loss_limit_.limit(), remote_limit_});
  const DataRate target = std::max(allowed, options_.min);
  if (target != target_) {
    target_ = target;
    update.target = target;
    application_limit_.SetTarget(target);
  }
}

EstimatorUpdate SendSideEstimator::OnRemoteLimit(Timestamp now, DataRate limit) {
  EstimatorUpdate update;
  remote_limit_ = limit;
  if (!last_feedback_.has_value() && limit.IsFinite()) {
    rate_control_.SetEstimate(now, limit);
    loss_limit_.SetLimit(limit);
  }
  SetTarget(update);
  return update;
}

EstimatorUpdate SendSideEstimator::OnTimeout(Timestamp now) {
  EstimatorUpdate update;
  if (now < next_timeout_) {
    return update;
  }
  AddProbes(planner_.OnTimeout(now, application_limit_), update);
  // A peer that never sent any is not expected to.
  if (last_feedback_.has_value() && unanswered_since_.has_value() &&
      now - *unanswered_since_ > kFeedbackTimeout + round_trip_ &&
      now - last_backoff_ >= kBackoffInterval) {
    ++feedback_timeouts_;
    last_backoff_ = now;
    const DataRate lowered = DataRate::BitsPerSec((target_ * kBackoffPercent).bps() / 100);
    rate_control_.SetEstimate(now, lowered);
    loss_limit_.SetLimit(lowered);
    SetTarget(update);
  }
  // While nothing is sent nothing changes by itself.
  next_timeout_ = sent_since_tick_ ? now + kTick : Timestamp::PlusInfinity();
  sent_since_tick_ = false;
  return update;
}

}  // namespace sluice
