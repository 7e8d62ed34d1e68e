#ifndef GATEWAY_SESSION_LEG_ENTRY_H_
#define GATEWAY_SESSION_LEG_ENTRY_H_

#include <cstddef>
#include <vector>

#include "base/slot_map.h"
#include "gateway/leg/leg.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/session/session.h"
#include "gateway/session/session_spec.h"

namespace sluice {

// A leg as the packet path sees it: with its session and the legs that get its packets.
struct LegEntry {
  Leg leg;
  SessionHandle session;
  // The session's forwarding rules, looked up. All live legs of the same session, none twice.
  std::vector<LegHandle> destinations;
  // Of the table's budgets: for what legs take beyond what every leg may, for interceptors, and for
  // packets that those keep.
  size_t extra_bytes = 0;
  size_t interceptor_bytes = 0;
  size_t held_packets = 0;
};

using LegSlots = SlotMap<LegEntry, LegTag>;
using SessionSlots = SlotMap<Session, SessionTag>;

}  // namespace sluice

#endif  // GATEWAY_SESSION_LEG_ENTRY_H_
