#ifndef TOOLS_CTL_SESSION_FLAGS_H_
#define TOOLS_CTL_SESSION_FLAGS_H_

#include <google/protobuf/field_mask.pb.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/gateway/v1/gateway_service.pb.h"
#include "proto/gateway/v1/session.pb.h"

namespace sluice {

// What `session create` and `session update` were given, as text. Absent: the flag was not there.
struct SessionFlags {
  std::optional<std::string> idle_timeout;
  std::optional<std::string> offer_timeout;
  std::optional<std::string> absolute_timeout;
  std::optional<std::string> hold_timeout;
  // "key=value" each.
  std::vector<std::string> labels;
  // `--no-labels`: an update that removes them all.
  bool no_labels = false;
};

// The configuration for CreateSession and UpdateSession. Errors begin with the flag that is wrong.
absl::StatusOr<gateway::v1::SessionConfig> BuildSessionConfig(const SessionFlags& flags);

// Which fields of the configuration the flags change, for UpdateSession.
google::protobuf::FieldMask BuildSessionUpdateMask(const SessionFlags& flags);

// The forwarding table of "alice=bob", "bob=alice,recorder" and "carol=", which sends to nobody.
absl::StatusOr<std::vector<gateway::v1::ForwardingRule>> ParseForwarding(
    const std::vector<std::string>& rules);

// What `session list` shows: ids that begin with `prefix`, with all of `labels`, alive or ended.
absl::StatusOr<gateway::v1::SessionFilter> BuildSessionFilter(
    absl::string_view prefix, const std::vector<std::string>& labels, bool ended);

}  // namespace sluice

#endif  // TOOLS_CTL_SESSION_FLAGS_H_
