#ifndef INTERCEPTOR_KEYFRAME_KEY_FRAME_REQUEST_H_
#define INTERCEPTOR_KEYFRAME_KEY_FRAME_REQUEST_H_

#include <cstdint>

#include "base/time_delta.h"
#include "base/timestamp.h"

namespace sluice {

// What is to be sent for a stream that needs a key frame.
enum class KeyFrameAction : uint8_t {
  kNone,
  // A request of its own.
  kRequest,
  // The same once more (RFC 5104 section 4.3.1.1: with the same number).
  kRepeat,
};

struct KeyFrameRequestOptions {
  // Least time between two requests of their own, more than 0. A key frame is ten pictures' worth
  // of bytes: who asked for several within this time gets one.
  TimeDelta min_interval = TimeDelta::Millis(300);
  // Time from a request to its repetition, more than 0.
  TimeDelta repeat_interval = TimeDelta::Millis(500);
  // Requests with all repetitions, 1..100, until somebody needs a key frame again.
  int max_attempts = 8;
};

// When to ask for a key frame of one stream. Any number of needs become one request, which is
// repeated until a key frame comes or there were enough attempts. Does not know how one asks. A
// value. One thread.
class KeyFrameRequest {
 public:
  static constexpr int kMaxAttempts = 100;

  static constexpr bool IsValid(const KeyFrameRequestOptions& options) {
    return options.min_interval > TimeDelta::Zero() &&
           options.repeat_interval > TimeDelta::Zero() && options.max_attempts >= 1 &&
           options.max_attempts <= kMaxAttempts;
  }

  // Somebody needs a key frame. A repetition is at least `round_trip` behind what it repeats
  // (RFC 5104 section 4.3.1.3).
  KeyFrameAction Need(Timestamp now, TimeDelta round_trip, const KeyFrameRequestOptions& options);
  // What is due at `now`.
  KeyFrameAction OnTimeout(Timestamp now, TimeDelta round_trip,
                           const KeyFrameRequestOptions& options);
  // What was asked for is there. Whether somebody waited for it.
  bool OnKeyFrame();
  // A packet came, of a stream whose key frames cannot be told. One late enough to be of the answer
  // ends the request: repeating it would never end otherwise, and who sees no picture all the same
  // needs one again. Needs since the request stay. Whether it ended it.
  bool OnMedia(Timestamp now, TimeDelta round_trip, const KeyFrameRequestOptions& options);

  // A key frame is needed and has not come.
  bool waiting() const { return attempts_ > 0 || again_; }
  // Something is due; PlusInfinity when nothing is.
  Timestamp due() const { return due_; }
  // The last call of OnTimeout gave up repeating.
  bool gave_up() const { return gave_up_; }

 private:
  KeyFrameAction Ask(Timestamp now, TimeDelta round_trip, const KeyFrameRequestOptions& options);

  // Of the request that is under way; 0: none is.
  int attempts_ = 0;
  // Needed since the request that is under way, or too soon behind the last one.
  bool again_ = false;
  bool gave_up_ = false;
  // Of the last request of its own.
  Timestamp asked_ = Timestamp::MinusInfinity();
  Timestamp due_ = Timestamp::PlusInfinity();
};

}  // namespace sluice

#endif  // INTERCEPTOR_KEYFRAME_KEY_FRAME_REQUEST_H_
