#ifndef GATEWAY_CONTROL_EVENT_CONVERT_H_
#define GATEWAY_CONTROL_EVENT_CONVERT_H_

#include "absl/strings/string_view.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/session/session_event.h"
#include "gateway/session/session_spec.h"
#include "proto/gateway/v1/events.pb.h"

namespace sluice {

// Events as the log takes them: without sequence and time.

// Of what packets caused.
gateway::v1::Event ToEvent(const SessionEvent& event);

// Of what calls and timeouts caused.
gateway::v1::Event SessionCreatedEvent(absl::string_view session_id);
gateway::v1::Event SessionEndedEvent(absl::string_view session_id, EndReason reason);
gateway::v1::Event LegAddedEvent(absl::string_view session_id, absl::string_view leg_id,
                                 LegKind kind);
gateway::v1::Event LegUpdatedEvent(absl::string_view session_id, absl::string_view leg_id);
gateway::v1::Event LegRemovedEvent(absl::string_view session_id, absl::string_view leg_id);

}  // namespace sluice

#endif  // GATEWAY_CONTROL_EVENT_CONVERT_H_
