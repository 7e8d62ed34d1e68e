#ifndef GATEWAY_CONTROL_REMOTE_CONVERT_H_
#define GATEWAY_CONTROL_REMOTE_CONVERT_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "gateway/control/field_violations.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/net/transport_address.h"
#include "proto/gateway/v1/leg.pb.h"

namespace sluice {

// Where a leg's peer is. What is wrong is added to `violations` below `path`, and then the answer
// is not to be used: addresses that do not parse, of another family than the leg's or that nobody
// can be at (multicast, broadcast, unspecified), port 0, an RTCP address that rtcp-mux contradicts.
std::optional<RemoteTransport> ToRemoteTransport(const gateway::v1::RemoteTransport& in,
                                                 absl::string_view path, IpFamily family,
                                                 bool rtcp_mux, FieldViolations& violations);

// The family that a new leg is bound to: as asked, else that of its remote address, else IPv4.
IpFamily ToIpFamily(const gateway::v1::LegConfig& config, FieldViolations& violations);

void ToProto(const TransportAddress& address, gateway::v1::TransportAddress& out);

}  // namespace sluice

#endif  // GATEWAY_CONTROL_REMOTE_CONVERT_H_
