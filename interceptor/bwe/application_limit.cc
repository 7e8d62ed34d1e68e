#include "interceptor/bwe/application_limit.h"

#include <algorithm>

namespace sluice {
namespace {

// Of the target: what a source that could use it does not stay below.
constexpr int64_t kUsedPercent = 65;
// Not for every packet: a tenth of what a frame takes.
constexpr TimeDelta kLookInterval = TimeDelta::Millis(3);
// The budget has room for this long, and is overdrawn by as much.
constexpr TimeDelta kWindow = TimeDelta::Millis(500);
// Limited when more of the budget than this is left, and no longer when less than that is.
constexpr int64_t kBeginPercent = 80;
constexpr int64_t kEndPercent = 50;

}  // namespace

void ApplicationLimit::SetTarget(DataRate target) {
  fill_ = DataRate::BitsPerSec((target * kUsedPercent).bps() / 100);
  const DataSize room = fill_ * kWindow;
  budget_ = std::clamp(budget_, DataSize::Zero() - room, room);
}

bool ApplicationLimit::Look(Timestamp now) {
  const DataSize room = fill_ * kWindow;
  budget_ = std::max(budget_ - sent_, DataSize::Zero() - room);
  budget_ = std::min(budget_ + fill_ * (now - last_look_.value_or(now)), room);
  sent_ = DataSize::Zero();
  last_look_ = now;
  next_look_ = now + kLookInterval;
  const DataSize scaled = budget_ * 100;
  if (!limited() && scaled > room * kBeginPercent) {
    since_ = now;
    return true;
  }
  if (limited() && scaled < room * kEndPercent) {
    since_.reset();
    ended_ = now;
    return true;
  }
  return false;
}

}  // namespace sluice
