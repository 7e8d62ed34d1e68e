#ifndef INTERCEPTOR_BWE_DELIVERED_RATE_H_
#define INTERCEPTOR_BWE_DELIVERED_RATE_H_

#include <optional>

#include "base/data_rate.h"
#include "base/data_size.h"
#include "base/time_delta.h"
#include "base/timestamp.h"

namespace sluice {

// At what rate our packets arrive: R_hat of draft-ietf-rmcat-gcc-02 section 5.5. Samples of 150 ms,
// each of which counts the less the farther it is from what was expected. One thread.
class DeliveredRate {
 public:
  // The next packet by arrival. `application_limited`: it says little of the path that less came.
  void Add(Timestamp arrived, DataSize size, bool application_limited);

  // Nothing before the first half second.
  std::optional<DataRate> rate() const;
  // More may be coming: the next samples count for more.
  void ExpectChange();

 private:
  // The rate of a window that is over.
  std::optional<double> UpdateWindow(Timestamp arrived, DataSize size);

  std::optional<Timestamp> last_arrived_;
  DataSize sum_ = DataSize::Zero();
  TimeDelta window_ = TimeDelta::Zero();
  // kbit/s, and its variance.
  std::optional<double> kbps_;
  double variance_ = 50;
};

}  // namespace sluice

#endif  // INTERCEPTOR_BWE_DELIVERED_RATE_H_
