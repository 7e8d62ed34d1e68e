#ifndef TOOLS_CTL_FEEDBACK_VIEW_H_
#define TOOLS_CTL_FEEDBACK_VIEW_H_

#include <string>

#include "proto/gateway/v1/stats.pb.h"

namespace sluice {

// What the interceptors of a session's legs have counted and measured, for people. Each is empty
// where there is nothing to tell, so that a call without interceptors looks as it always did.

// One row per SSRC that was repeated, asked about or reported on.
std::string RenderStreamFeedback(const gateway::v1::SessionStats& stats);

// One row per leg with an estimate of what may be sent to it, or a round trip.
std::string RenderEstimates(const gateway::v1::SessionStats& stats);

// One row per leg and interceptor that counted something.
std::string RenderInterceptorCounters(const gateway::v1::SessionStats& stats);

}  // namespace sluice

#endif  // TOOLS_CTL_FEEDBACK_VIEW_H_
