#include "interceptor/bwe/bandwidth_estimator.h"

#include <optional>
#include <utility>
#include <variant>

#include "absl/memory/memory.h"
#include "base/data_size.h"
#include "interceptor/rtcp/compound.h"

namespace sluice {

absl::StatusOr<std::unique_ptr<BandwidthEstimator>> BandwidthEstimator::Create(
    const SendSideEstimatorOptions& options) {
  auto estimator = SendSideEstimator::Create(options);
  if (!estimator.ok()) {
    return estimator.status();
  }
  return absl::WrapUnique(new BandwidthEstimator(*std::move(estimator)));
}

BandwidthEstimator::BandwidthEstimator(std::unique_ptr<SendSideEstimator> estimator)
    : estimator_(std::move(estimator)) {}

void BandwidthEstimator::Tell(const EstimatorUpdate& update, InterceptorOutbox& out) {
  // What the outbox has no room for it counts.
  if (update.target.has_value()) {
    out.Raise(TargetRateChanged{*update.target});
  }
  if (update.application_limited.has_value()) {
    out.Raise(ApplicationLimited{*update.application_limited});
  }
  for (const Probe& probe : update.probes.probes()) {
    out.Raise(ProbeWanted{probe.cluster, probe.rate, probe.duration});
  }
}

void BandwidthEstimator::OnIncomingRtcp(Timestamp now, absl::Span<InterceptedRtcp> packets,
                                        InterceptorOutbox& out) {
  for (const InterceptedRtcp& packet : packets) {
    ReadCompound(packet.view, RtcpReader{[&](const RembView& remb) {
                   out.Raise(RemoteRateLimited{remb.limit()});
                   Tell(estimator_->OnRemoteLimit(now, remb.limit()), out);
                 }});
    const std::optional<FeedbackReport> report = packet.attributes.Get(&PacketAttributes::feedback);
    if (report.has_value()) {
      ++reports_;
      Tell(estimator_->OnFeedback(*report), out);
    }
  }
}

void BandwidthEstimator::OnOutgoingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                                       InterceptorOutbox& out) {
  size_t size = 0;
  for (const InterceptedRtp& packet : packets) {
    size += packet.view.bytes().size();
  }
  if (estimator_->OnPacketsSent(now, DataSize::Bytes(static_cast<int64_t>(size)))) {
    Tell(estimator_->AfterSending(now), out);
  }
}

void BandwidthEstimator::OnEvent(Timestamp now, const InterceptorEvent& event,
                                 InterceptorOutbox& out) {
  if (const auto* measured = std::get_if<RoundTripMeasured>(&event)) {
    estimator_->OnRoundTrip(measured->round_trip);
  } else if (const auto* limited = std::get_if<RemoteRateLimited>(&event)) {
    Tell(estimator_->OnRemoteLimit(now, limited->limit), out);
  }
}

void BandwidthEstimator::OnTimeout(Timestamp now, InterceptorOutbox& out) {
  Tell(estimator_->OnTimeout(now), out);
}

}  // namespace sluice
