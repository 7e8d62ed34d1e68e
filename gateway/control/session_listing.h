#ifndef GATEWAY_CONTROL_SESSION_LISTING_H_
#define GATEWAY_CONTROL_SESSION_LISTING_H_

#include "absl/status/status.h"
#include "gateway/control/control_room.h"
#include "proto/gateway/v1/gateway_service.pb.h"

namespace sluice {

// One page of sessions, in the order of their ids. A page may hold fewer than asked for, even none,
// with others behind it: sessions end while it is made, and it stays below gRPC's default bound for
// a message.
absl::Status ListSessions(const gateway::v1::ListSessionsRequest& request, ControlRoom& room,
                          gateway::v1::ListSessionsResponse& response);

}  // namespace sluice

#endif  // GATEWAY_CONTROL_SESSION_LISTING_H_
