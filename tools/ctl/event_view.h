#ifndef TOOLS_CTL_EVENT_VIEW_H_
#define TOOLS_CTL_EVENT_VIEW_H_

#include <string>

#include "proto/gateway/v1/events.pb.h"

namespace sluice {

// One event as one line, without line end:
//
//   17  2026-11-30T14:37:05Z  call-1  alice  remote_address_changed 192.0.2.1:5004 ->
//   192.0.2.1:6000
std::string RenderEvent(const gateway::v1::Event& event);

}  // namespace sluice

#endif  // TOOLS_CTL_EVENT_VIEW_H_
