#ifndef QUIC_SERVER_RATE_BUDGET_H_
#define QUIC_SERVER_RATE_BUDGET_H_

#include <algorithm>
#include <cstdint>

#include "base/time_delta.h"
#include "base/timestamp.h"

namespace sluice {

// How much may be done for those who may not deserve it: so many times a second, and no more than a
// second's worth at once.
class RateBudget {
 public:
  RateBudget(Timestamp now, uint32_t per_second)
      : per_second_(per_second), micro_times_(Full()), since_(now) {}

  // Takes one. False when there is none left at `now`, which never goes back.
  bool Take(Timestamp now) {
    // A pause of more than a second fills it.
    const int64_t elapsed = std::min((now - since_).us(), kSecond);
    since_ = now;
    micro_times_ = std::min(Full(), micro_times_ + elapsed * per_second_);
    if (micro_times_ < kSecond) return false;
    micro_times_ -= kSecond;
    return true;
  }

 private:
  static constexpr int64_t kSecond = 1'000'000;

  int64_t Full() const { return kSecond * per_second_; }

  int64_t per_second_;
  // Millionths of times, so that microseconds add up.
  int64_t micro_times_;
  Timestamp since_;
};

}  // namespace sluice

#endif  // QUIC_SERVER_RATE_BUDGET_H_
