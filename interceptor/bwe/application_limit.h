#ifndef INTERCEPTOR_BWE_APPLICATION_LIMIT_H_
#define INTERCEPTOR_BWE_APPLICATION_LIMIT_H_

#include <optional>

#include "base/data_rate.h"
#include "base/data_size.h"
#include "base/timestamp.h"

namespace sluice {

// Whether there is less to send than the target allows. What is sent is taken from a budget that
// fills at two thirds of the target; when most of it stays, the application is the limit. One
// thread.
class ApplicationLimit {
 public:
  explicit ApplicationLimit(DataRate target) { SetTarget(target); }

  void SetTarget(DataRate target);
  // Packets go. True when `limited` changed.
  bool OnSent(Timestamp now, DataSize size) {
    sent_ += size;
    return now >= next_look_ && Look(now);
  }

  bool limited() const { return since_.has_value(); }
  // Since when; nothing when it is not. When it was last.
  std::optional<Timestamp> since() const { return since_; }
  std::optional<Timestamp> ended() const { return ended_; }

 private:
  bool Look(Timestamp now);

  DataRate fill_ = DataRate::Zero();
  DataSize budget_ = DataSize::Zero();
  // Not yet taken from the budget.
  DataSize sent_ = DataSize::Zero();
  std::optional<Timestamp> last_look_;
  Timestamp next_look_ = Timestamp::MinusInfinity();
  std::optional<Timestamp> since_;
  std::optional<Timestamp> ended_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_BWE_APPLICATION_LIMIT_H_
