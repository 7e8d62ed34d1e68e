#include "quic/rpc/rpc_limits.h"

#include "absl/strings/str_cat.h"

namespace sluice {

absl::Status CheckRpcLimits(const RpcLimits& limits) {
  if (limits.calls < 1 || limits.calls > RpcLimits::kMaxCalls) {
    return absl::InvalidArgumentError(
        absl::StrCat("calls is ", limits.calls, ", must be 1 to ", RpcLimits::kMaxCalls));
  }
  if (limits.buffers < 1 || limits.buffers > RpcLimits::kMaxBuffers) {
    return absl::InvalidArgumentError(
        absl::StrCat("buffers is ", limits.buffers, ", must be 1 to ", RpcLimits::kMaxBuffers));
  }
  if (limits.request_timeout <= TimeDelta::Zero() || !limits.request_timeout.IsFinite()) {
    return absl::InvalidArgumentError(
        absl::StrCat("request_timeout is ", limits.request_timeout, ", must be above zero"));
  }
  if (limits.drain_timeout <= TimeDelta::Zero() || !limits.drain_timeout.IsFinite()) {
    return absl::InvalidArgumentError(
        absl::StrCat("drain_timeout is ", limits.drain_timeout, ", must be above zero"));
  }
  return absl::OkStatus();
}

}  // namespace sluice
