#ifndef GATEWAY_LEG_CHAIN_COUNTERS_H_
#define GATEWAY_LEG_CHAIN_COUNTERS_H_

#include <vector>

#include "gateway/leg/chain_parts.h"
#include "gateway/leg/leg_snapshot.h"

namespace sluice {

// Appends what the interceptors counted and is not 0, by its name in the control API, in the order
// of the interceptors' kinds.
void AppendCounters(const ChainParts& parts, std::vector<InterceptorCounter>& counters);

}  // namespace sluice

#endif  // GATEWAY_LEG_CHAIN_COUNTERS_H_
