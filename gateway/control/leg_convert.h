#ifndef GATEWAY_CONTROL_LEG_CONVERT_H_
#define GATEWAY_CONTROL_LEG_CONVERT_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "gateway/control/field_violations.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/net/transport_address.h"
#include "proto/gateway/v1/gateway_service.pb.h"
#include "proto/gateway/v1/leg.pb.h"
#include "srtp/cipher_suite.h"

namespace sluice {

// What an AddLeg call asks for.
struct NewLeg {
  // Without the local key.
  LegSpec spec;
  IpFamily family = IpFamily::kIpv4;
  // Of the local key to be made; nullopt for plain RTP.
  std::optional<SuiteId> local_suite;
};

// From requests: what is wrong is added to `violations`, and then the answer is not to be used.
NewLeg ToNewLeg(const gateway::v1::AddLegRequest& request, FieldViolations& violations);
// `leg` is the leg as it is. Leaves the local key alone.
LegUpdate ToLegUpdate(const gateway::v1::UpdateLegRequest& request, const LegSnapshot& leg,
                      FieldViolations& violations);

void ToProto(absl::string_view session_id, const LegSnapshot& leg, gateway::v1::Leg& out);
gateway::v1::LegKind ToProto(LegKind kind);

}  // namespace sluice

#endif  // GATEWAY_CONTROL_LEG_CONVERT_H_
