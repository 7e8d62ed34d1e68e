#ifndef INTERCEPTOR_REPORT_REPORT_SCHEDULE_H_
#define INTERCEPTOR_REPORT_REPORT_SCHEDULE_H_

#include <cstddef>
#include <cstdint>

#include "base/data_rate.h"
#include "base/random_source.h"
#include "base/time_delta.h"
#include "base/timestamp.h"

namespace sluice {

struct ReportScheduleOptions {
  // Of the session; RTCP may have 5 % of it (RFC 3550 section 6.2). At least 1 kbit/s.
  DataRate session_bandwidth = DataRate::KilobitsPerSec(1000);
  // Tmin (RFC 3550 section 6.2). More than 0, at most a minute.
  TimeDelta minimum = TimeDelta::Seconds(5);
  // Where both sides agreed: 360 s divided by the bandwidth in kbit/s, when that is less (RFC 3550
  // section 6.2); the first report then waits no less either.
  bool reduced_minimum = false;
};

// Who takes part: SSRCs, ours included.
struct ReportMembers {
  // At least 1.
  size_t members = 1;
  // Of them, those that sent since the report before the last.
  size_t senders = 0;
  // We are one of the senders.
  bool we_sent = false;
};

// When reports are due (RFC 3550 sections 6.2, 6.3 and appendix A.7): so that all members together
// stay within their share of the bandwidth, at random so that they do not fall into step, and
// reconsidered when membership changed. Only numbers; what is sent is the caller's.
class ReportSchedule {
 public:
  static constexpr TimeDelta kMaxMinimum = TimeDelta::Minutes(1);
  static constexpr DataRate kMinBandwidth = DataRate::KilobitsPerSec(1);

  static bool IsValid(const ReportScheduleOptions& options);

  // The options are valid; `random` outlives this. `first_size` is the probable size of the first
  // compound in bytes, with what IP and UDP add.
  ReportSchedule(const ReportScheduleOptions& options, size_t first_size, RandomSource& random);

  // The session begins.
  void Start(Timestamp now, const ReportMembers& members);
  // Nobody is there any more.
  void Stop() { next_ = Timestamp::PlusInfinity(); }

  // PlusInfinity: not started.
  Timestamp next() const { return next_; }

  // For a time not before next(): whether reports are to be sent now. If so, Sent is to follow; if
  // not, membership grew and next() is later (timer reconsideration, section 6.3.6).
  bool Expire(Timestamp now, const ReportMembers& members);
  // Reports left, `size` bytes with IP and UDP.
  void Sent(Timestamp now, size_t size, const ReportMembers& members);
  // RTCP came, `size` bytes with IP and UDP.
  void Received(size_t size) { Average(size); }
  // Members left: the next report may come sooner (reverse reconsideration, section 6.3.4).
  void Left(Timestamp now, const ReportMembers& members);

  // Smoothed bytes of a compound.
  size_t average_size() const { return static_cast<size_t>(average_16_ / 16); }

 private:
  TimeDelta Interval(const ReportMembers& members);
  void Average(size_t size);

  const ReportScheduleOptions options_;
  RandomSource& random_;
  // In 1/16 bytes: the filter's gain.
  int64_t average_16_;
  bool initial_ = true;
  // Of the last report, or the start.
  Timestamp previous_ = Timestamp::MinusInfinity();
  Timestamp next_ = Timestamp::PlusInfinity();
  // When next_ was computed.
  size_t members_then_ = 1;
};

}  // namespace sluice

#endif  // INTERCEPTOR_REPORT_REPORT_SCHEDULE_H_
