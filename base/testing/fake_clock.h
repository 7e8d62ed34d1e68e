#ifndef BASE_TESTING_FAKE_CLOCK_H_
#define BASE_TESTING_FAKE_CLOCK_H_

#include "base/check.h"
#include "base/time_delta.h"
#include "base/timestamp.h"

namespace sluice {

// Virtual time for tests: it moves when told to and at no other time.
class FakeClock {
 public:
  // Does not begin at zero, so that code which takes 0 for "not yet" shows.
  FakeClock() = default;
  explicit FakeClock(Timestamp start) : now_(start) {}

  Timestamp now() const { return now_; }

  // `step` is not negative: the clock is monotonic.
  void Advance(TimeDelta step) {
    SLUICE_CHECK(step >= TimeDelta::Zero());
    now_ += step;
  }

 private:
  Timestamp now_ = Timestamp::Seconds(1000);
};

}  // namespace sluice

#endif  // BASE_TESTING_FAKE_CLOCK_H_
