#include "gateway/control/time_convert.h"

#include "absl/strings/str_cat.h"

namespace sluice {
namespace {

// google/protobuf/duration.proto: ten thousand years; both parts have one sign.
constexpr int64_t kMaxSeconds = 315'576'000'000;
constexpr int32_t kMaxNanos = 999'999'999;

bool IsDuration(const google::protobuf::Duration& d) {
  const bool in_range = d.seconds() >= -kMaxSeconds && d.seconds() <= kMaxSeconds &&
                        d.nanos() >= -kMaxNanos && d.nanos() <= kMaxNanos;
  const bool one_sign =
      (d.seconds() <= 0 || d.nanos() >= 0) && (d.seconds() >= 0 || d.nanos() <= 0);
  return in_range && one_sign;
}

}  // namespace

std::optional<TimeDelta> FromProto(const google::protobuf::Duration& duration,
                                   absl::string_view path, TimeDelta min, TimeDelta max,
                                   FieldViolations& violations) {
  if (IsDuration(duration)) {
    const TimeDelta delta =
        TimeDelta::Seconds(duration.seconds()) + TimeDelta::Micros(duration.nanos() / 1000);
    if (delta >= min && delta <= max) {
      return delta;
    }
  }
  violations.Add(path, absl::StrCat("must be ", min, " to ", max));
  return std::nullopt;
}

google::protobuf::Duration ToProto(TimeDelta delta) {
  google::protobuf::Duration duration;
  duration.set_seconds(delta.seconds());
  duration.set_nanos(static_cast<int32_t>((delta.us() - delta.seconds() * 1'000'000) * 1000));
  return duration;
}

google::protobuf::Timestamp ToProto(absl::Time time) {
  google::protobuf::Timestamp timestamp;
  const int64_t seconds = absl::ToUnixSeconds(time);
  timestamp.set_seconds(seconds);
  // Counts forward also before 1970 (google/protobuf/timestamp.proto).
  timestamp.set_nanos(
      static_cast<int32_t>(absl::ToInt64Nanoseconds(time - absl::FromUnixSeconds(seconds))));
  return timestamp;
}

}  // namespace sluice
