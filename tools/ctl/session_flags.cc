#include "tools/ctl/session_flags.h"

#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tools/ctl/duration_text.h"

namespace sluice {
namespace {

using ::sluice::gateway::v1::ForwardingRule;
using ::sluice::gateway::v1::SessionConfig;
using ::sluice::gateway::v1::SessionFilter;

absl::StatusOr<std::pair<std::string, std::string>> ParseLabel(absl::string_view text) {
  const size_t equals = text.find('=');
  if (equals == absl::string_view::npos || equals == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--label: '", text, "' is not KEY=VALUE; write tenant=acme"));
  }
  return std::pair(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
}

absl::Status AddLabels(const std::vector<std::string>& texts,
                       google::protobuf::Map<std::string, std::string>& labels) {
  for (const std::string& text : texts) {
    auto label = ParseLabel(text);
    if (!label.ok()) return label.status();
    if (!labels.insert({label->first, label->second}).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("--label: '", label->first, "' is given twice"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<SessionConfig> BuildSessionConfig(const SessionFlags& flags) {
  SessionConfig config;
  const struct {
    absl::string_view flag;
    const std::optional<std::string>& text;
    google::protobuf::Duration* (SessionConfig::*field)();
  } kTimeouts[] = {
      {"--idle-timeout", flags.idle_timeout, &SessionConfig::mutable_idle_timeout},
      {"--offer-timeout", flags.offer_timeout, &SessionConfig::mutable_offer_timeout},
      {"--absolute-timeout", flags.absolute_timeout, &SessionConfig::mutable_absolute_timeout},
      {"--hold-timeout", flags.hold_timeout, &SessionConfig::mutable_hold_timeout},
  };
  for (const auto& t : kTimeouts) {
    if (!t.text.has_value()) continue;
    const absl::StatusOr<absl::Duration> duration = ParseDuration(*t.text);
    if (!duration.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(t.flag, ": ", duration.status().message()));
    }
    *(config.*t.field)() = ToProto(*duration);
  }
  if (flags.no_labels && !flags.labels.empty()) {
    return absl::InvalidArgumentError("--label and --no-labels exclude each other");
  }
  if (absl::Status status = AddLabels(flags.labels, *config.mutable_labels()); !status.ok()) {
    return status;
  }
  return config;
}

google::protobuf::FieldMask BuildSessionUpdateMask(const SessionFlags& flags) {
  const struct {
    bool given;
    const char* path;
  } kPaths[] = {
      {flags.idle_timeout.has_value(), "idle_timeout"},
      {flags.offer_timeout.has_value(), "offer_timeout"},
      {flags.absolute_timeout.has_value(), "absolute_timeout"},
      {flags.hold_timeout.has_value(), "hold_timeout"},
      {!flags.labels.empty() || flags.no_labels, "labels"},
  };
  google::protobuf::FieldMask mask;
  for (const auto& p : kPaths) {
    if (p.given) mask.add_paths(p.path);
  }
  return mask;
}

absl::StatusOr<std::vector<ForwardingRule>> ParseForwarding(const std::vector<std::string>& rules) {
  std::vector<ForwardingRule> table;
  for (const std::string& text : rules) {
    const std::pair<std::string, std::string> sides = absl::StrSplit(text, absl::MaxSplits('=', 1));
    if (sides.first.empty() || text.find('=') == std::string::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", text, "' is not FROM=TO[,TO...]; write alice=bob"));
    }
    ForwardingRule rule;
    rule.set_from_leg_id(sides.first);
    for (absl::string_view to : absl::StrSplit(sides.second, ',', absl::SkipEmpty())) {
      rule.add_to_leg_ids(std::string(to));
    }
    table.push_back(std::move(rule));
  }
  return table;
}

absl::StatusOr<SessionFilter> BuildSessionFilter(absl::string_view prefix,
                                                 const std::vector<std::string>& labels,
                                                 bool ended) {
  SessionFilter filter;
  filter.set_session_id_prefix(std::string(prefix));
  if (absl::Status status = AddLabels(labels, *filter.mutable_labels()); !status.ok()) {
    return status;
  }
  if (ended) filter.set_state(gateway::v1::SESSION_STATE_ENDED);
  return filter;
}

}  // namespace sluice
