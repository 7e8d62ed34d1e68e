#include "interceptor/twcc/feedback_pace.h"

#include "base/data_rate.h"

namespace sluice {
namespace {

// What UDP, IPv6 and SRTCP add to a datagram of feedback.
constexpr DataSize kDatagramOverhead = DataSize::Bytes(62);

}  // namespace

bool FeedbackPace::IsValid(const FeedbackPaceOptions& options) {
  return options.min_interval > TimeDelta::Zero() && options.max_interval.IsFinite() &&
         options.min_interval <= options.max_interval && options.share_permille >= 1 &&
         options.share_permille <= 1000;
}

FeedbackPace::FeedbackPace(const FeedbackPaceOptions& options)
    : options_(options), interval_(options.min_interval) {}

void FeedbackPace::OnFeedback(Timestamp now, DataSize feedback) {
  if (last_feedback_.IsFinite()) {
    const DataRate received = received_ / (now - last_feedback_);
    const DataRate share = DataRate::BitsPerSec(received.bps() / 1000 * options_.share_permille);
    interval_ = std::clamp((feedback + kDatagramOverhead) / share, options_.min_interval,
                           options_.max_interval);
  }
  last_feedback_ = now;
  received_ = DataSize::Zero();
  due_ = Timestamp::PlusInfinity();
}

}  // namespace sluice
