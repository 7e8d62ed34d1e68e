#ifndef INTERCEPTOR_BWE_BANDWIDTH_ESTIMATOR_H_
#define INTERCEPTOR_BWE_BANDWIDTH_ESTIMATOR_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/timestamp.h"
#include "interceptor/bwe/send_side_estimator.h"
#include "interceptor/interceptor.h"

namespace sluice {

// The estimator in a chain: hears of packets when they leave the pacer and of reports when the peer
// sends them, and raises TargetRateChanged, ProbeWanted and ApplicationLimited. Reads REMB, raises
// RemoteRateLimited for the leg, and listens to RoundTripMeasured and to limits that others set.
// Rates are of RTP packets as they pass here: header and payload, without what SRTP, UDP and IP
// add.
class BandwidthEstimator : public Interceptor {
 public:
  // As of SendSideEstimator.
  static absl::StatusOr<std::unique_ptr<BandwidthEstimator>> Create(
      const SendSideEstimatorOptions& options);

  InterceptorKind kind() const override { return InterceptorKind::kBandwidthEstimator; }
  InterceptorHooks hooks() const override {
    return {.incoming_rtcp = true, .outgoing_rtp = true, .events = true, .timeout = true};
  }
  void OnIncomingRtcp(Timestamp now, absl::Span<InterceptedRtcp> packets,
                      InterceptorOutbox& out) override;
  void OnOutgoingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                     InterceptorOutbox& out) override;
  void OnEvent(Timestamp now, const InterceptorEvent& event, InterceptorOutbox& out) override;
  void OnTimeout(Timestamp now, InterceptorOutbox& out) override;
  Timestamp NextTimeout() const override { return estimator_->NextTimeout(); }

  const SendSideEstimator& estimator() const { return *estimator_; }
  // Since construction: reports read.
  uint64_t reports() const { return reports_; }

 private:
  explicit BandwidthEstimator(std::unique_ptr<SendSideEstimator> estimator);

  static void Tell(const EstimatorUpdate& update, InterceptorOutbox& out);

  const std::unique_ptr<SendSideEstimator> estimator_;
  uint64_t reports_ = 0;
};

}  // namespace sluice

#endif  // INTERCEPTOR_BWE_BANDWIDTH_ESTIMATOR_H_
