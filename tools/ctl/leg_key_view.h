#ifndef TOOLS_CTL_LEG_KEY_VIEW_H_
#define TOOLS_CTL_LEG_KEY_VIEW_H_

#include <string>

#include "proto/gateway/v1/leg.pb.h"

namespace sluice {

// A leg, and the gateway's key for it if the answer has one. The one place where a key is printed:
// the gateway hands it out once, to be signalled to the peer.
std::string RenderLegAndKey(const gateway::v1::Leg& leg, bool has_key,
                            const gateway::v1::SrtpKey& key);

}  // namespace sluice

#endif  // TOOLS_CTL_LEG_KEY_VIEW_H_
