#include "interceptor/keyframe/key_frame_request.h"

#include <algorithm>

namespace sluice {

KeyFrameAction KeyFrameRequest::Ask(Timestamp now, TimeDelta round_trip,
                                    const KeyFrameRequestOptions& options) {
  attempts_ = 1;
  again_ = false;
  asked_ = now;
  // A request that is not repeated is over when the next one may be made.
  due_ = now + (options.max_attempts > 1 ? std::max(options.repeat_interval, round_trip)
                                         : options.min_interval);
  return KeyFrameAction::kRequest;
}

KeyFrameAction KeyFrameRequest::Need(Timestamp now, TimeDelta round_trip,
                                     const KeyFrameRequestOptions& options) {
  if (attempts_ > 0) {
    again_ = true;
    return KeyFrameAction::kNone;
  }
  const Timestamp allowed = asked_ + options.min_interval;
  if (now < allowed) {
    again_ = true;
    due_ = allowed;
    return KeyFrameAction::kNone;
  }
  return Ask(now, round_trip, options);
}

KeyFrameAction KeyFrameRequest::OnTimeout(Timestamp now, TimeDelta round_trip,
                                          const KeyFrameRequestOptions& options) {
  gave_up_ = false;
  if (now < due_) {
    return KeyFrameAction::kNone;
  }
  if (attempts_ > 0 && attempts_ < options.max_attempts) {
    ++attempts_;
    due_ = now + std::max(options.repeat_interval, round_trip);
    return KeyFrameAction::kRepeat;
  }
  // One that is never repeated is just over.
  gave_up_ = attempts_ > 1;
  attempts_ = 0;
  due_ = Timestamp::PlusInfinity();
  // Needed again since: from the beginning.
  return again_ ? Need(now, round_trip, options) : KeyFrameAction::kNone;
}

bool KeyFrameRequest::OnKeyFrame() {
  const bool waited = waiting();
  attempts_ = 0;
  again_ = false;
  due_ = Timestamp::PlusInfinity();
  return waited;
}

bool KeyFrameRequest::OnMedia(Timestamp now, TimeDelta round_trip,
                              const KeyFrameRequestOptions& options) {
  if (attempts_ == 0 || now < asked_ + std::max(options.min_interval, round_trip)) {
    return false;
  }
  attempts_ = 0;
  due_ = again_ ? asked_ + options.min_interval : Timestamp::PlusInfinity();
  return true;
}

}  // namespace sluice
