#ifndef GATEWAY_CONTROL_TIME_CONVERT_H_
#define GATEWAY_CONTROL_TIME_CONVERT_H_

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include <optional>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/time_delta.h"
#include "gateway/control/field_violations.h"

namespace sluice {

// The duration in whole microseconds. Adds a violation at `path` and gives nothing when it is not
// min..max (both finite) or not a duration at all.
std::optional<TimeDelta> FromProto(const google::protobuf::Duration& duration,
                                   absl::string_view path, TimeDelta min, TimeDelta max,
                                   FieldViolations& violations);

// `delta` is finite.
google::protobuf::Duration ToProto(TimeDelta delta);
// `time` is finite.
google::protobuf::Timestamp ToProto(absl::Time time);

}  // namespace sluice

#endif  // GATEWAY_CONTROL_TIME_CONVERT_H_
