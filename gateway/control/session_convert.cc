#include "gateway/control/session_convert.h"

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/map.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/time_delta.h"
#include "gateway/control/id_check.h"
#include "gateway/control/leg_convert.h"
#include "gateway/control/time_convert.h"

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;

// proto/gateway/v1/session.proto.
constexpr size_t kMaxLabels = 16;
constexpr size_t kMaxLabelKeyBytes = 63;
constexpr size_t kMaxLabelValueBytes = 255;

// The four timeouts, in one table for every direction.
struct TimeoutRow {
  absl::string_view name;
  bool (pb::SessionConfig::*has)() const;
  const google::protobuf::Duration& (pb::SessionConfig::*get)() const;
  google::protobuf::Duration* (pb::SessionConfig::*mutate)();
  TimeDelta max;
  TimeDelta TimeoutDefaults::*fallback;
  TimeDelta SessionTimeouts::*timeout;
  std::optional<TimeDelta> SessionUpdate::*update;
};
constexpr TimeoutRow kTimeouts[] = {
    {"idle_timeout", &pb::SessionConfig::has_idle_timeout, &pb::SessionConfig::idle_timeout,
     &pb::SessionConfig::mutable_idle_timeout, kMaxIdleTimeout, &TimeoutDefaults::idle,
     &SessionTimeouts::idle, &SessionUpdate::idle},
    {"offer_timeout", &pb::SessionConfig::has_offer_timeout, &pb::SessionConfig::offer_timeout,
     &pb::SessionConfig::mutable_offer_timeout, kMaxOfferTimeout, &TimeoutDefaults::offer,
     &SessionTimeouts::offer, &SessionUpdate::offer},
    {"absolute_timeout", &pb::SessionConfig::has_absolute_timeout,
     &pb::SessionConfig::absolute_timeout, &pb::SessionConfig::mutable_absolute_timeout,
     kMaxAbsoluteTimeout, &TimeoutDefaults::absolute, &SessionTimeouts::absolute,
     &SessionUpdate::absolute},
    {"hold_timeout", &pb::SessionConfig::has_hold_timeout, &pb::SessionConfig::hold_timeout,
     &pb::SessionConfig::mutable_hold_timeout, kMaxHoldTimeout, &TimeoutDefaults::hold,
     &SessionTimeouts::hold, &SessionUpdate::hold},
};

TimeDelta ReadTimeout(const TimeoutRow& row, const pb::SessionConfig& config,
                      const TimeoutDefaults& defaults, FieldViolations& violations) {
  if (!(config.*row.has)()) {
    return defaults.*row.fallback;
  }
  return FromProto((config.*row.get)(), absl::StrCat("config.", row.name), kMinSessionTimeout,
                   row.max, violations)
      .value_or(defaults.*row.fallback);
}

SessionLabels ReadLabels(const pb::SessionConfig& config, FieldViolations& violations) {
  if (config.labels().size() > kMaxLabels) {
    violations.Add("config.labels", absl::StrCat("has ", config.labels().size(),
                                                 " entries, at most ", kMaxLabels, " are kept"));
    return {};
  }
  SessionLabels labels;
  for (const auto& [key, value] : config.labels()) {
    if (key.empty() || key.size() > kMaxLabelKeyBytes) {
      violations.Add("config.labels", absl::StrCat("a key has ", key.size(),
                                                   " bytes, must be 1 to ", kMaxLabelKeyBytes));
    } else if (value.size() > kMaxLabelValueBytes) {
      violations.Add("config.labels",
                     absl::StrCat("the value of ", Quoted(key), " has ", value.size(),
                                  " bytes, at most ", kMaxLabelValueBytes, " are kept"));
    } else {
      labels.emplace(key, value);
    }
  }
  return labels;
}

}  // namespace

SessionSpec ToSessionSpec(const pb::CreateSessionRequest& request, const TimeoutDefaults& defaults,
                          FieldViolations& violations) {
  SessionSpec spec;
  CheckId("session_id", request.session_id(), violations);
  spec.id = request.session_id();
  for (const TimeoutRow& row : kTimeouts) {
    spec.timeouts.*row.timeout = ReadTimeout(row, request.config(), defaults, violations);
  }
  spec.labels = ReadLabels(request.config(), violations);
  return spec;
}

SessionUpdate ToSessionUpdate(const pb::UpdateSessionRequest& request,
                              const TimeoutDefaults& defaults, FieldViolations& violations) {
  SessionUpdate update;
  CheckId("session_id", request.session_id(), violations);
  if (request.update_mask().paths().empty()) {
    violations.Add("update_mask", "must name what is to change, such as \"idle_timeout\"");
  }
  for (const std::string& path : request.update_mask().paths()) {
    bool known = path == "labels";
    if (known) {
      update.labels = ReadLabels(request.config(), violations);
    }
    for (const TimeoutRow& row : kTimeouts) {
      if (path == row.name) {
        update.*row.update = ReadTimeout(row, request.config(), defaults, violations);
        known = true;
      }
    }
    if (!known) {
      violations.Add("update_mask",
                     absl::StrCat(Quoted(path),
                                  " is not one of idle_timeout, offer_timeout, absolute_timeout, "
                                  "hold_timeout, labels"));
    }
  }
  return update;
}

std::vector<ForwardingRule> ToForwardingRules(const pb::SetForwardingRequest& request,
                                              FieldViolations& violations) {
  std::vector<ForwardingRule> rules;
  CheckId("session_id", request.session_id(), violations);
  for (int i = 0; i < request.rules_size(); ++i) {
    const pb::ForwardingRule& in = request.rules(i);
    const std::string path = absl::StrCat("rules[", i, "]");
    CheckId(absl::StrCat(path, ".from_leg_id"), in.from_leg_id(), violations);
    ForwardingRule rule{in.from_leg_id(), {}};
    for (int j = 0; j < in.to_leg_ids_size(); ++j) {
      CheckId(absl::StrCat(path, ".to_leg_ids[", j, "]"), in.to_leg_ids(j), violations);
      rule.to_legs.push_back(in.to_leg_ids(j));
    }
    rules.push_back(std::move(rule));
  }
  return rules;
}

bool HasConfigOf(const SessionSnapshot& live, const SessionSpec& spec) {
  for (const TimeoutRow& row : kTimeouts) {
    if (live.timeouts.*row.timeout != spec.timeouts.*row.timeout) {
      return false;
    }
  }
  return live.labels == spec.labels;
}

void ToProto(const SessionSnapshot& snapshot, const SessionPlace& place, pb::Session& out) {
  out.set_session_id(snapshot.id);
  out.set_state(ToProto(place.live() ? snapshot.state : SessionState::kEnded));
  for (const TimeoutRow& row : kTimeouts) {
    *(out.mutable_config()->*row.mutate)() = ToProto(snapshot.timeouts.*row.timeout);
  }
  for (const auto& [key, value] : snapshot.labels) {
    (*out.mutable_config()->mutable_labels())[key] = value;
  }
  for (const LegSnapshot& leg : snapshot.legs) {
    ToProto(snapshot.id, leg, *out.add_legs());
  }
  for (const ForwardingRule& rule : snapshot.forwarding) {
    pb::ForwardingRule& rule_out = *out.add_forwarding();
    rule_out.set_from_leg_id(rule.from_leg);
    for (const std::string& to : rule.to_legs) {
      rule_out.add_to_leg_ids(to);
    }
  }
  out.set_worker(static_cast<uint32_t>(place.worker));
  *out.mutable_create_time() = ToProto(place.created);
  if (!place.live()) {
    *out.mutable_end_time() = ToProto(place.ended);
    out.set_end_reason(ToProto(snapshot.end_reason));
  }
}

void ToProto(const TimeoutDefaults& defaults, pb::SessionConfig& out) {
  for (const TimeoutRow& row : kTimeouts) {
    *(out.*row.mutate)() = ToProto(defaults.*row.fallback);
  }
}

pb::SessionState ToProto(SessionState state) {
  switch (state) {
    case SessionState::kOffered:
      return pb::SESSION_STATE_OFFERED;
    case SessionState::kActive:
      return pb::SESSION_STATE_ACTIVE;
    case SessionState::kEnded:
      return pb::SESSION_STATE_ENDED;
  }
  return pb::SESSION_STATE_UNSPECIFIED;
}

pb::EndReason ToProto(const std::optional<EndReason>& reason) {
  if (!reason.has_value()) {
    return pb::END_REASON_UNSPECIFIED;
  }
  switch (*reason) {
    case EndReason::kDeleted:
      return pb::END_REASON_DELETED;
    case EndReason::kIdleTimeout:
      return pb::END_REASON_IDLE_TIMEOUT;
    case EndReason::kOfferTimeout:
      return pb::END_REASON_OFFER_TIMEOUT;
    case EndReason::kAbsoluteTimeout:
      return pb::END_REASON_ABSOLUTE_TIMEOUT;
    case EndReason::kHoldTimeout:
      return pb::END_REASON_HOLD_TIMEOUT;
  }
  return pb::END_REASON_UNSPECIFIED;
}

}  // namespace sluice
