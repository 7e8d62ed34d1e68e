#ifndef INTERCEPTOR_PACER_LEAKY_BUCKET_H_
#define INTERCEPTOR_PACER_LEAKY_BUCKET_H_

#include <algorithm>
#include <cstdint>

#include "base/data_rate.h"
#include "base/data_size.h"
#include "base/time_delta.h"
#include "base/timestamp.h"

namespace sluice {

// When the next packet may go so that a rate is kept: each packet occupies the line for as long as
// it takes at that rate. What fits into kBurst goes at once, so that high rates do not need a timer
// for every packet. One thread; times do not run backwards.
class LeakyBucket {
 public:
  // What timers can tell apart, and short beside any queue.
  static constexpr TimeDelta kBurst = TimeDelta::Millis(5);
  // No packet occupies the line longer, however low the rate.
  static constexpr TimeDelta kMaxBusy = TimeDelta::Seconds(2);

  explicit LeakyBucket(DataRate rate) { SetRate(Timestamp::Zero(), rate); }

  // `rate` is above 0. What occupies the line now goes on at the new rate.
  void SetRate(Timestamp now, DataRate rate);
  DataRate rate() const { return rate_; }

  bool CanSend(Timestamp now) const {
    const int64_t at = ToUnits(now);
    // Free, or still the same burst.
    return busy_until_ <= at || (at == burst_begin_ && busy_until_ - at < kBurstUnits);
  }
  // A packet of 0..65535 bytes goes, whether it may or not.
  void OnSent(Timestamp now, DataSize size) {
    const int64_t at = ToUnits(now);
    if (busy_until_ <= at) {
      busy_until_ = at;
      burst_begin_ = at;
    }
    busy_until_ += fine_units_per_byte_ * size.bytes() / kFineUnitsPerUnit;
    busy_until_ = std::min(busy_until_, at + kMaxBusyUnits);
  }
  // When the line is free.
  Timestamp NextSend() const {
    return Timestamp::Micros((busy_until_ + kUnitsPerMicro - 1) / kUnitsPerMicro);
  }

 private:
  // Times in 1/1024 us, and how long a byte takes more finely than that: at 10 Gbit/s it is less
  // than one of these.
  static constexpr int64_t kUnitsPerMicro = 1024;
  static constexpr int64_t kFineUnitsPerUnit = 65536;
  static constexpr int64_t kBurstUnits = kBurst.us() * kUnitsPerMicro;
  static constexpr int64_t kMaxBusyUnits = kMaxBusy.us() * kUnitsPerMicro;

  static int64_t ToUnits(Timestamp time) { return time.us() * kUnitsPerMicro; }

  DataRate rate_ = DataRate::Zero();
  int64_t fine_units_per_byte_ = 0;
  int64_t busy_until_ = 0;
  int64_t burst_begin_ = -1;
};

}  // namespace sluice

#endif  // INTERCEPTOR_PACER_LEAKY_BUCKET_H_
