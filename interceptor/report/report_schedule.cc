#include "interceptor/report/report_schedule.h"

#include <algorithm>

#include "base/check.h"

namespace sluice {
namespace {

// RTCP's share of the session, and the senders' of that (RFC 3550 section 6.2).
constexpr int64_t kRtcpPercent = 5;
constexpr int64_t kSenderQuarters = 1;
constexpr int64_t kReceiverQuarters = 3;
// Seconds times kbit/s.
constexpr int64_t kReducedMinimumSeconds = 360;
// e - 3/2: makes up for timers that are put off (RFC 3550 section 6.3.1), in 1/100000.
constexpr int64_t kCompensation = 121828;
constexpr int64_t kCompensationUnit = 100000;
// Steps of the random factor between 1/2 and 3/2.
constexpr int64_t kRandomSteps = 1 << 16;

}  // namespace

bool ReportSchedule::IsValid(const ReportScheduleOptions& options) {
  return options.session_bandwidth >= kMinBandwidth && options.minimum > TimeDelta::Zero() &&
         options.minimum <= kMaxMinimum;
}

ReportSchedule::ReportSchedule(const ReportScheduleOptions& options, size_t first_size,
                               RandomSource& random)
    : options_(options), random_(random), average_16_(static_cast<int64_t>(first_size) * 16) {
  SLUICE_CHECK(IsValid(options));
}

void ReportSchedule::Start(Timestamp now, const ReportMembers& members) {
  initial_ = true;
  previous_ = now;
  members_then_ = members.members;
  next_ = now + Interval(members);
}

bool ReportSchedule::Expire(Timestamp now, const ReportMembers& members) {
  const Timestamp again = previous_ + Interval(members);
  if (again > now) {
    next_ = again;
    members_then_ = members.members;
    return false;
  }
  return true;
}

void ReportSchedule::Sent(Timestamp now, size_t size, const ReportMembers& members) {
  Average(size);
  previous_ = now;
  // Drawn anew: the one that just passed was short enough to pass, and would be a biased sample.
  initial_ = false;
  members_then_ = members.members;
  next_ = now + Interval(members);
}

void ReportSchedule::Left(Timestamp now, const ReportMembers& members) {
  if (!next_.IsFinite() || members.members >= members_then_) {
    return;
  }
  const auto scale = [&](TimeDelta delta) {
    return delta * static_cast<int64_t>(members.members) / static_cast<int64_t>(members_then_);
  };
  next_ = now + scale(std::max(next_ - now, TimeDelta::Zero()));
  previous_ = now - scale(now - previous_);
  members_then_ = members.members;
}

TimeDelta ReportSchedule::Interval(const ReportMembers& members) {
  TimeDelta minimum = options_.minimum;
  if (options_.reduced_minimum) {
    minimum = std::min(minimum, TimeDelta::Seconds(kReducedMinimumSeconds * 1000) /
                                    options_.session_bandwidth.bps());
  } else if (initial_) {
    // So that a newcomer is known soon.
    minimum = minimum / 2;
  }
  // Senders have a quarter for themselves as long as they are fewer than a quarter of the members;
  // then everybody shares everything.
  auto sharing = static_cast<int64_t>(members.members);
  int64_t quarters = kSenderQuarters + kReceiverQuarters;
  if (members.senders * 4 <= members.members) {
    if (members.we_sent) {
      sharing = static_cast<int64_t>(members.senders);
      quarters = kSenderQuarters;
    } else {
      sharing -= static_cast<int64_t>(members.senders);
      quarters = kReceiverQuarters;
    }
  }
  // Bytes in 1/16, by the share: bandwidth / 8 * 5 / 100 * quarters / 4.
  const TimeDelta share = TimeDelta::Seconds(average_16_ * std::max<int64_t>(sharing, 1)) *
                          (8 * 100 * 4) /
                          (options_.session_bandwidth * (kRtcpPercent * quarters * 16)).bps();
  const int64_t factor =
      kRandomSteps / 2 + static_cast<int64_t>(random_.Below(static_cast<uint64_t>(kRandomSteps)));
  return std::max(share, minimum) * factor / kRandomSteps * kCompensationUnit / kCompensation;
}

void ReportSchedule::Average(size_t size) {
  // 1/16 of the new and 15/16 of the old (RFC 3550 section 6.3.3).
  average_16_ += static_cast<int64_t>(size) - average_16_ / 16;
}

}  // namespace sluice
