#ifndef INTERCEPTOR_NACK_RETRANSMISSION_BUDGET_H_
#define INTERCEPTOR_NACK_RETRANSMISSION_BUDGET_H_

#include <cstdint>

#include "base/data_rate.h"
#include "base/data_size.h"
#include "base/timestamp.h"

namespace sluice {

struct RetransmissionBudgetOptions {
  // Bytes that may be repeated for each 100 sent, 0..100. More than this is lost by congestion, and
  // repeating it makes that worse.
  int percent = 20;
  // What may be repeated in any case: audio sends so little that a share of it is nothing.
  DataRate minimum = DataRate::KilobitsPerSec(32);
  // Most that is saved: what 2.5 Mbit/s send during an outage of 200 ms.
  DataSize burst = DataSize::Bytes(64 * 1024);
};

// How much may be retransmitted: earned by sending and by time, up to a limit, and full at the
// start. A value. One thread.
class RetransmissionBudget {
 public:
  static constexpr bool IsValid(const RetransmissionBudgetOptions& options) {
    return options.percent >= 0 && options.percent <= 100 && options.minimum >= DataRate::Zero() &&
           options.minimum.IsFinite() && options.burst > DataSize::Zero() &&
           options.burst.bytes() <= kMaxBurst;
  }

  // The options are valid.
  explicit RetransmissionBudget(const RetransmissionBudgetOptions& options);

  // Media of this size was sent.
  void Earn(DataSize sent) {
    saved_ += sent.bytes() * options_.percent;
    if (saved_ > limit_) {
      saved_ = limit_;
    }
  }
  // Whether `size` may be retransmitted at `now`; then Spend it.
  bool Allows(Timestamp now, DataSize size);
  void Spend(DataSize size) { saved_ -= size.bytes() * kScale; }

  DataSize available() const { return DataSize::Bytes(saved_ / kScale); }

 private:
  static constexpr int64_t kScale = 100;
  // Keeps the products below far away from 2^63.
  static constexpr int64_t kMaxBurst = int64_t{1} << 32;

  const RetransmissionBudgetOptions options_;
  // Hundredths of a byte, so that a small packet's share is not lost.
  const int64_t limit_;
  int64_t saved_;
  Timestamp earned_until_ = Timestamp::MinusInfinity();
};

}  // namespace sluice

#endif  // INTERCEPTOR_NACK_RETRANSMISSION_BUDGET_H_
