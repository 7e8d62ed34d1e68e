#ifndef GATEWAY_SESSION_SESSION_SPEC_H_
#define GATEWAY_SESSION_SESSION_SPEC_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/slot_map.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gateway/leg/leg_snapshot.h"

namespace sluice {

// A session of one worker; stale after its end.
using SessionHandle = SlotHandle<struct SessionTag>;

// Longest session or leg id, in bytes.
inline constexpr size_t kMaxIdSize = 128;

struct SessionTimeouts {
  TimeDelta idle = TimeDelta::Seconds(60);
  TimeDelta offer = TimeDelta::Seconds(300);
  TimeDelta absolute = TimeDelta::Seconds(86400);
  TimeDelta hold = TimeDelta::Seconds(3600);
};

using SessionLabels = std::map<std::string, std::string>;

struct SessionSpec {
  std::string id;
  SessionTimeouts timeouts;
  SessionLabels labels;
};

struct SessionUpdate {
  std::optional<TimeDelta> idle;
  std::optional<TimeDelta> offer;
  std::optional<TimeDelta> absolute;
  std::optional<TimeDelta> hold;
  std::optional<SessionLabels> labels;
};

enum class SessionState : uint8_t { kOffered, kActive, kEnded };

enum class EndReason : uint8_t {
  kDeleted,
  kIdleTimeout,
  kOfferTimeout,
  kAbsoluteTimeout,
  kHoldTimeout,
};

struct ForwardingRule {
  std::string from_leg;
  std::vector<std::string> to_legs;
};

// A session's state and statistics at one moment.
struct SessionSnapshot {
  std::string id;
  SessionState state = SessionState::kOffered;
  SessionTimeouts timeouts;
  SessionLabels labels;
  std::vector<LegSnapshot> legs;
  std::vector<ForwardingRule> forwarding;
  Timestamp created = Timestamp::Zero();
  Timestamp sampled = Timestamp::Zero();
  std::optional<EndReason> end_reason;
};

}  // namespace sluice

#endif  // GATEWAY_SESSION_SESSION_SPEC_H_
