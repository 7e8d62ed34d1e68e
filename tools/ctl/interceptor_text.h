#ifndef TOOLS_CTL_INTERCEPTOR_TEXT_H_
#define TOOLS_CTL_INTERCEPTOR_TEXT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/gateway/v1/leg.pb.h"

namespace sluice {

// Interceptors by the names that their fields have in sluice.gateway.v1.Interceptors, so that one
// of tomorrow needs no change here.

// "nack=on", "pacer=off". Refuses one that was said already.
absl::Status SetInterceptor(absl::string_view text, gateway::v1::Interceptors& interceptors);

// Those that are on, between commas; "-" when none is.
std::string FormatInterceptors(const gateway::v1::Interceptors& interceptors);

// All names, between commas.
std::string InterceptorNames();

// "forward" or "terminate".
absl::StatusOr<gateway::v1::RtcpHandling> ParseRtcpHandling(absl::string_view text);
// "-" if unspecified; numbers of a newer gateway print as they are.
std::string FormatRtcpHandling(gateway::v1::RtcpHandling handling);

}  // namespace sluice

#endif  // TOOLS_CTL_INTERCEPTOR_TEXT_H_
