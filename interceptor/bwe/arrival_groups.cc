#include "interceptor/bwe/arrival_groups.h"

#include <algorithm>

namespace sluice {
namespace {

// Packets sent within this are one group (section 5.2's burst_time).
constexpr TimeDelta kSendSpan = TimeDelta::Millis(5);
// Packets of a burst arrive within this of each other ...
constexpr TimeDelta kBurstGap = TimeDelta::Millis(5);
// ... and a burst is no longer than this, lest a whole second becomes one group.
constexpr TimeDelta kMaxBurst = TimeDelta::Millis(100);
// The peer's clock ran this much faster than ours: it was set, and says nothing of the path.
constexpr TimeDelta kClockJump = TimeDelta::Seconds(3);
// Groups in a row that arrived before their predecessors: the peer's clock was set back.
constexpr int kMaxReorderedGroups = 3;

}  // namespace

void ArrivalGroups::Reset() {
  current_.reset();
  previous_.reset();
  reordered_groups_ = 0;
}

bool ArrivalGroups::BelongsToBurst(Timestamp sent, Timestamp arrived) const {
  const TimeDelta sent_gap = sent - current_->last_sent;
  if (sent_gap.IsZero()) {
    return true;
  }
  const TimeDelta arrival_gap = arrived - current_->last_arrived;
  // Closer together than they were sent: something held them back.
  return arrival_gap < sent_gap && arrival_gap <= kBurstGap &&
         arrived - current_->first_arrived < kMaxBurst;
}

std::optional<GroupDelta> ArrivalGroups::Compare() {
  const GroupDelta delta = {current_->last_sent - previous_->last_sent,
                            current_->last_arrived - previous_->last_arrived};
  const TimeDelta reported = current_->last_reported - previous_->last_reported;
  if (delta.arrived - reported >= kClockJump) {
    Reset();
    return std::nullopt;
  }
  if (delta.arrived < TimeDelta::Zero()) {
    if (++reordered_groups_ >= kMaxReorderedGroups) {
      Reset();
    }
    return std::nullopt;
  }
  reordered_groups_ = 0;
  return delta;
}

std::optional<GroupDelta> ArrivalGroups::Add(Timestamp sent, Timestamp arrived,
                                             Timestamp reported) {
  const Group alone = {sent, sent, arrived, arrived, reported};
  if (!current_.has_value()) {
    current_ = alone;
    return std::nullopt;
  }
  if (sent < current_->first_sent) {
    // Overtaken: its group is over.
    return std::nullopt;
  }
  if (BelongsToBurst(sent, arrived) || sent - current_->first_sent <= kSendSpan) {
    current_->last_sent = std::max(current_->last_sent, sent);
    current_->last_arrived = arrived;
    current_->last_reported = reported;
    return std::nullopt;
  }
  std::optional<GroupDelta> delta;
  if (previous_.has_value()) {
    delta = Compare();
    if (!current_.has_value()) {
      current_ = alone;
      return std::nullopt;
    }
  }
  previous_ = current_;
  current_ = alone;
  return delta;
}

}  // namespace sluice
