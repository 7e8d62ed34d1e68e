#include "gateway/session/forwarding.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gateway/errors/error_detail.h"

namespace sluice {
namespace {

absl::Status CheckLegId(absl::string_view field, absl::string_view id,
                        absl::Span<const absl::string_view> leg_ids) {
  if (std::find(leg_ids.begin(), leg_ids.end(), id) == leg_ids.end()) {
    return InvalidField(field, absl::StrCat("the session has no leg \"", id, "\""));
  }
  return absl::OkStatus();
}

absl::Status CheckDestinations(absl::string_view rule_field, const ForwardingRule& rule,
                               absl::Span<const absl::string_view> leg_ids) {
  for (size_t j = 0; j < rule.to_legs.size(); ++j) {
    const std::string& to = rule.to_legs[j];
    const std::string field = absl::StrCat(rule_field, ".to_leg_ids[", j, "]");
    if (absl::Status status = CheckLegId(field, to, leg_ids); !status.ok()) {
      return status;
    }
    if (to == rule.from_leg) {
      return InvalidField(field, "a leg does not get its own packets");
    }
    const auto end = rule.to_legs.begin() + static_cast<ptrdiff_t>(j);
    if (std::find(rule.to_legs.begin(), end, to) != end) {
      return InvalidField(field, absl::StrCat("leg \"", to, "\" is named twice"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Forwarding::Set(const std::vector<ForwardingRule>& rules,
                             absl::Span<const absl::string_view> leg_ids, size_t max_destinations) {
  for (size_t i = 0; i < rules.size(); ++i) {
    const ForwardingRule& rule = rules[i];
    const std::string rule_field = absl::StrCat("rules[", i, "]");
    const std::string from_field = absl::StrCat(rule_field, ".from_leg_id");
    if (absl::Status status = CheckLegId(from_field, rule.from_leg, leg_ids); !status.ok()) {
      return status;
    }
    const auto end = rules.begin() + static_cast<ptrdiff_t>(i);
    if (std::any_of(rules.begin(), end, [&rule](const ForwardingRule& before) {
          return before.from_leg == rule.from_leg;
        })) {
      return InvalidField(from_field, absl::StrCat("leg \"", rule.from_leg, "\" has two rules"));
    }
    if (absl::Status status = CheckDestinations(rule_field, rule, leg_ids); !status.ok()) {
      return status;
    }
    if (rule.to_legs.size() > max_destinations) {
      return LimitReached("destinations_per_leg", max_destinations,
                          absl::StrCat(rule_field, " sends to ", rule.to_legs.size(), " legs"));
    }
  }
  rules_ = rules;
  set_ = true;
  return absl::OkStatus();
}

void Forwarding::RemoveLeg(absl::string_view leg_id) {
  std::erase_if(rules_, [leg_id](const ForwardingRule& rule) { return rule.from_leg == leg_id; });
  for (ForwardingRule& rule : rules_) {
    std::erase(rule.to_legs, leg_id);
  }
}

std::vector<ForwardingRule> Forwarding::InForce(absl::Span<const absl::string_view> leg_ids) const {
  if (set_) {
    return rules_;
  }
  if (leg_ids.size() != 2) {
    return {};
  }
  const std::string a(leg_ids[0]);
  const std::string b(leg_ids[1]);
  return {{a, {b}}, {b, {a}}};
}

}  // namespace sluice
