#ifndef TOOLS_CTL_SESSION_VIEW_H_
#define TOOLS_CTL_SESSION_VIEW_H_

#include <string>
#include <vector>

#include "proto/gateway/v1/leg.pb.h"
#include "proto/gateway/v1/session.pb.h"

namespace sluice {

// A session with its legs and forwarding table, for people.
std::string RenderSession(const gateway::v1::Session& session);

// One row per session.
std::string RenderSessions(const std::vector<gateway::v1::Session>& sessions);

// Where a leg receives and sends, and how it is protected. No key can be in it.
std::string RenderLeg(const gateway::v1::Leg& leg);

// "active", "idle_timeout"; "-" if unspecified; numbers of a newer gateway print as they are.
std::string FormatState(gateway::v1::SessionState state);
std::string FormatEndReason(gateway::v1::EndReason reason);

}  // namespace sluice

#endif  // TOOLS_CTL_SESSION_VIEW_H_
