#ifndef QUIC_SERVER_ANSWER_BUDGET_H_
#define QUIC_SERVER_ANSWER_BUDGET_H_

#include <algorithm>
#include <cstdint>

#include "base/time_delta.h"
#include "base/timestamp.h"

namespace sluice {

// How many answers may go to strangers, who may not be where they say: so many a second, and no
// more than a second's worth at once.
class AnswerBudget {
 public:
  AnswerBudget(Timestamp now, uint32_t per_second)
      : per_second_(per_second), micro_answers_(Full()), since_(now) {}

  // Takes one. False when there is none left at `now`, which never goes back.
  bool Take(Timestamp now) {
    // A pause of more than a second fills it.
    const int64_t elapsed = std::min((now - since_).us(), kSecond);
    since_ = now;
    micro_answers_ = std::min(Full(), micro_answers_ + elapsed * per_second_);
    if (micro_answers_ < kSecond) return false;
    micro_answers_ -= kSecond;
    return true;
  }

 private:
  static constexpr int64_t kSecond = 1'000'000;

  int64_t Full() const { return kSecond * per_second_; }

  const int64_t per_second_;
  // Millionths of answers, so that microseconds add up.
  int64_t micro_answers_;
  Timestamp since_;
};

}  // namespace sluice

#endif  // QUIC_SERVER_ANSWER_BUDGET_H_
