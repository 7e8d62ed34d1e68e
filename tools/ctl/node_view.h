#ifndef TOOLS_CTL_NODE_VIEW_H_
#define TOOLS_CTL_NODE_VIEW_H_

#include <string>

#include "proto/gateway/v1/node.pb.h"

namespace sluice {

// The gateway process for people: version, workers, how much of each limit is in use.
std::string RenderNode(const gateway::v1::Node& node);

}  // namespace sluice

#endif  // TOOLS_CTL_NODE_VIEW_H_
