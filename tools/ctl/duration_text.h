#ifndef TOOLS_CTL_DURATION_TEXT_H_
#define TOOLS_CTL_DURATION_TEXT_H_

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace sluice {

// Reads what people write for a span of time: "30s", "5m", "1h30m", "500ms". A unit is required, so
// that nobody has to guess whether 30 is seconds or milliseconds; it must be positive and finite.
absl::StatusOr<absl::Duration> ParseDuration(absl::string_view text);

google::protobuf::Duration ToProto(absl::Duration duration);
absl::Duration FromProto(const google::protobuf::Duration& duration);

// "30s", "1h30m"; parses back to the same value.
std::string FormatDuration(const google::protobuf::Duration& duration);

// "2026-11-30T14:37:05Z", or "-" for the zero time, which the API leaves unset.
std::string FormatTime(const google::protobuf::Timestamp& time);

}  // namespace sluice

#endif  // TOOLS_CTL_DURATION_TEXT_H_
