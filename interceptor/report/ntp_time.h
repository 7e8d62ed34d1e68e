#ifndef INTERCEPTOR_REPORT_NTP_TIME_H_
#define INTERCEPTOR_REPORT_NTP_TIME_H_

#include <cstdint>

#include "base/time_delta.h"
#include "base/timestamp.h"

namespace sluice {

// The process's time line as reports tell it: seconds since 1900 in 32.32 bits (RFC 3550
// section 4). Wraps in 2036, as the format does. A value; no clock is read.
class NtpClock {
 public:
  // `origin` is the NTP time of Timestamp::Zero(): any value that all streams of a session share
  // will do, the wall clock's says more (RFC 3550 section 6.4.1).
  constexpr explicit NtpClock(uint64_t origin) : origin_(origin) {}

  // `time` is finite.
  uint64_t At(Timestamp time) const;

 private:
  uint64_t origin_;
};

// The middle 32 bits, by which peers name a report (RFC 3550 section 6.4.1).
constexpr uint32_t CompactNtp(uint64_t ntp_time) { return static_cast<uint32_t>(ntp_time >> 16); }

// A time in units of 1/65536 s, as DLSR and DLRR have it: what is negative becomes 0 and what is
// too long the longest, 18 hours.
uint32_t ToCompactDelay(TimeDelta delay);
TimeDelta FromCompactDelay(uint32_t delay);

}  // namespace sluice

#endif  // INTERCEPTOR_REPORT_NTP_TIME_H_
