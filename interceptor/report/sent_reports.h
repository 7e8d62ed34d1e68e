#ifndef INTERCEPTOR_REPORT_SENT_REPORTS_H_
#define INTERCEPTOR_REPORT_SENT_REPORTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/time_delta.h"
#include "base/timestamp.h"

namespace sluice {

// When the last reports left, so that an answer to one of them measures the round trip. An answer
// to a report that never left measures nothing: a peer cannot make up any round trip it likes, and
// clocks need not agree. A value of fixed size.
class SentReports {
 public:
  // A peer answers the last report, or the one before when they crossed. With one report each
  // interval, eight are more than 7 * 0.5 / 1.5 intervals back, whatever the round trip.
  static constexpr size_t kCapacity = 8;

  // A report with these middle 32 bits of its NTP time left; the oldest is forgotten.
  void Add(uint32_t compact_ntp, Timestamp sent);

  // What passed since the report that is named left, without the time that the peer kept it, both
  // as they are in a report block (RFC 3550 section 6.4.1) or a DLRR answer (RFC 3611 section 4.5).
  // At least kShortest. Nothing when no such report is known, or the peer says that it kept it for
  // longer than it has been away.
  std::optional<TimeDelta> RoundTrip(Timestamp now, uint32_t compact_ntp, uint32_t delay) const;

  // So that a measured time is never 0, which reads like "none".
  static constexpr TimeDelta kShortest = TimeDelta::Micros(1);
  // Peers round, and read their clocks at other moments than packets leave and come: so much less
  // than nothing is still next to nothing.
  static constexpr TimeDelta kTolerance = TimeDelta::Millis(5);

 private:
  struct Report {
    uint32_t compact_ntp;
    Timestamp sent = Timestamp::MinusInfinity();
  };

  std::array<Report, kCapacity> reports_{};
  size_t next_ = 0;
  size_t size_ = 0;
};

}  // namespace sluice

#endif  // INTERCEPTOR_REPORT_SENT_REPORTS_H_
