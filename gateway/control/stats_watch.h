#ifndef GATEWAY_CONTROL_STATS_WATCH_H_
#define GATEWAY_CONTROL_STATS_WATCH_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "gateway/control/control_room.h"
#include "proto/gateway/v1/gateway_service.pb.h"

namespace sluice {

// One stream of a session's statistics, from its first message to its end: the figures at once,
// then at each interval of the room's clock, and those of its tombstone when the session has ended.
// There is never more than one message at a time: as long as `write` waits for a slow reader no
// figures are taken, and those in between are left out.
//   OK                 the session has ended and `write` has its last figures; or `write` said
//   false
//                      or `cancelled` true: nobody listens any more
//   InvalidArgument    of the request
//   NotFound           the session was never there, or is no longer remembered
//   ResourceExhausted  limit "watchers"
//   Unavailable        the gateway stops
// Any thread; holds it.
absl::Status WatchStats(const gateway::v1::WatchStatsRequest& request, ControlRoom& room,
                        absl::FunctionRef<bool()> cancelled,
                        absl::FunctionRef<bool(const gateway::v1::WatchStatsResponse&)> write);

}  // namespace sluice

#endif  // GATEWAY_CONTROL_STATS_WATCH_H_
