#ifndef GATEWAY_CONTROL_SESSION_CONVERT_H_
#define GATEWAY_CONTROL_SESSION_CONVERT_H_

#include <optional>
#include <vector>

#include "gateway/config/config.h"
#include "gateway/control/field_violations.h"
#include "gateway/control/session_directory.h"
#include "gateway/session/session_spec.h"
#include "proto/gateway/v1/gateway_service.pb.h"
#include "proto/gateway/v1/session.pb.h"

namespace sluice {

// From requests: what is wrong is added to `violations`, and then the answer is not to be used.
SessionSpec ToSessionSpec(const gateway::v1::CreateSessionRequest& request,
                          const TimeoutDefaults& defaults, FieldViolations& violations);
// A path of the mask whose value is absent goes back to the default.
SessionUpdate ToSessionUpdate(const gateway::v1::UpdateSessionRequest& request,
                              const TimeoutDefaults& defaults, FieldViolations& violations);
// Which legs there are is the session's to know.
std::vector<ForwardingRule> ToForwardingRules(const gateway::v1::SetForwardingRequest& request,
                                              FieldViolations& violations);

// Whether `live` is what a call that made `spec` would have made.
bool HasConfigOf(const SessionSnapshot& live, const SessionSpec& spec);

// `place` is what the directory knows of the session; `snapshot` is its report when it has ended.
void ToProto(const SessionSnapshot& snapshot, const SessionPlace& place, gateway::v1::Session& out);
void ToProto(const TimeoutDefaults& defaults, gateway::v1::SessionConfig& out);

gateway::v1::SessionState ToProto(SessionState state);
// UNSPECIFIED for nullopt: not ended.
gateway::v1::EndReason ToProto(const std::optional<EndReason>& reason);

}  // namespace sluice

#endif  // GATEWAY_CONTROL_SESSION_CONVERT_H_
