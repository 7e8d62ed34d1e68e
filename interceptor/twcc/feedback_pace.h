#ifndef INTERCEPTOR_TWCC_FEEDBACK_PACE_H_
#define INTERCEPTOR_TWCC_FEEDBACK_PACE_H_

#include <algorithm>
#include <cstdint>

#include "base/data_size.h"
#include "base/time_delta.h"
#include "base/timestamp.h"

namespace sluice {

struct FeedbackPaceOptions {
  // Often enough for an estimator to see a queue before it is long; seldom enough that feedback
  // about a trickle of packets is not most of the traffic.
  TimeDelta min_interval = TimeDelta::Millis(50);
  TimeDelta max_interval = TimeDelta::Millis(250);
  // What feedback may be of the media it is about, in thousandths: RTCP's part of a session
  // (RFC 3550 section 6.2).
  int64_t share_permille = 50;
};

// When feedback is due: not before there was a packet, and then as often as its share of what was
// received allows. One thread.
class FeedbackPace {
 public:
  // 0 < min_interval <= max_interval, 1..1000 permille.
  static bool IsValid(const FeedbackPaceOptions& options);
  // `options` are valid.
  explicit FeedbackPace(const FeedbackPaceOptions& options);

  void OnPacket(Timestamp now, DataSize size) {
    received_ += size;
    if (due_ == Timestamp::PlusInfinity()) {
      due_ = std::max(now, last_feedback_ + interval_);
    }
  }
  // Packets of `feedback` bytes together were sent about all there was.
  void OnFeedback(Timestamp now, DataSize feedback);

  // PlusInfinity: there is nothing to say.
  Timestamp due() const { return due_; }
  TimeDelta interval() const { return interval_; }

 private:
  const FeedbackPaceOptions options_;
  TimeDelta interval_;
  Timestamp due_ = Timestamp::PlusInfinity();
  Timestamp last_feedback_ = Timestamp::MinusInfinity();
  DataSize received_ = DataSize::Zero();
};

}  // namespace sluice

#endif  // INTERCEPTOR_TWCC_FEEDBACK_PACE_H_
