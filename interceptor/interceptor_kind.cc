#include "interceptor/interceptor_kind.h"

#include <iterator>

namespace sluice {
namespace {

// In the order of the enum.
constexpr absl::string_view kNames[] = {
    "packet_log",
    "extension_reader",
    "stream_statistics",
    "transport_feedback",
    "congestion_feedback",
    "bandwidth_estimator",
    "pacer",
    "reports",
    "forward_error_correction",
    "nack_generator",
    "nack_responder",
    "redundancy",
    "key_frame_throttle",
    "jitter_buffer",
    "extension_writer",
};
static_assert(std::size(kNames) == kInterceptorKindCount);

}  // namespace

absl::string_view InterceptorKindName(InterceptorKind kind) {
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace sluice
