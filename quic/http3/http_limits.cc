#include "quic/http3/http_limits.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/time_delta.h"

namespace sluice {

absl::Status CheckHttpLimits(const HttpLimits& limits) {
  if (limits.requests < 1 || limits.requests > HttpLimits::kMaxRequests) {
    return absl::InvalidArgumentError(
        absl::StrCat("requests is ", limits.requests, ", must be 1 to ", HttpLimits::kMaxRequests));
  }
  if (limits.buffers < 1 || limits.buffers > HttpLimits::kMaxBuffers) {
    return absl::InvalidArgumentError(
        absl::StrCat("buffers is ", limits.buffers, ", must be 1 to ", HttpLimits::kMaxBuffers));
  }
  if (limits.request_timeout <= TimeDelta::Zero() || !limits.request_timeout.IsFinite()) {
    return absl::InvalidArgumentError(
        absl::StrCat("request_timeout is ", limits.request_timeout, ", must be above zero"));
  }
  if (limits.drain_timeout <= TimeDelta::Zero() || !limits.drain_timeout.IsFinite()) {
    return absl::InvalidArgumentError(
        absl::StrCat("drain_timeout is ", limits.drain_timeout, ", must be above zero"));
  }
  if (limits.goaway_notice < TimeDelta::Zero() || !limits.goaway_notice.IsFinite()) {
    return absl::InvalidArgumentError(
        absl::StrCat("goaway_notice is ", limits.goaway_notice, ", must not be below zero"));
  }
  return absl::OkStatus();
}

}  // namespace sluice
