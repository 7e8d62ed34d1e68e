#ifndef GATEWAY_CONTROL_STATS_CONVERT_H_
#define GATEWAY_CONTROL_STATS_CONVERT_H_

#include "absl/time/time.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/session/session_spec.h"
#include "proto/gateway/v1/stats.pb.h"

namespace sluice {

// `sampled` is when the snapshot was taken; of an ended session, its end.
void ToProto(const SessionSnapshot& snapshot, absl::Time sampled, gateway::v1::SessionStats& out);
void ToProto(const LegSnapshot& leg, gateway::v1::LegStats& out);

}  // namespace sluice

#endif  // GATEWAY_CONTROL_STATS_CONVERT_H_
