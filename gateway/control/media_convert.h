#ifndef GATEWAY_CONTROL_MEDIA_CONVERT_H_
#define GATEWAY_CONTROL_MEDIA_CONVERT_H_

#include <vector>

#include "gateway/control/field_violations.h"
#include "gateway/leg/media_description.h"
#include "proto/gateway/v1/leg.pb.h"
#include "srtp/rtp_types.h"

namespace sluice {

// What both ends agreed on about a leg's media. From requests: what is wrong is added to
// `violations`, and then the answer is not to be used.

// A leg has more payload types than fit into one StreamInfo, since it may carry audio and video:
// which of them a stream is told of is the leg's to choose.
std::vector<PayloadDescription> ReadPayloadTypes(const gateway::v1::LegConfig& config,
                                                 bool rtcp_mux, FieldViolations& violations);
std::vector<HeaderExtension> ReadHeaderExtensions(const gateway::v1::LegConfig& config,
                                                  FieldViolations& violations);
std::vector<StreamGroup> ReadStreamGroups(const gateway::v1::LegConfig& config,
                                          FieldViolations& violations);
std::vector<Ssrc> ReadRemoteSsrcs(const gateway::v1::LegConfig& config,
                                  FieldViolations& violations);

void ToProto(const PayloadDescription& payload, gateway::v1::PayloadType& out);
void ToProto(const HeaderExtension& extension, gateway::v1::HeaderExtension& out);

}  // namespace sluice

#endif  // GATEWAY_CONTROL_MEDIA_CONVERT_H_
