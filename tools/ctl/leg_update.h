#ifndef TOOLS_CTL_LEG_UPDATE_H_
#define TOOLS_CTL_LEG_UPDATE_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tools/ctl/leg_flags.h"
#include "tools/ctl/mki_text.h"

namespace sluice {

// What `leg update` and `signal update` were given, as text.
struct LegUpdateFlags {
  LegFlags config;
  std::string local_key;
  std::vector<std::string> retire_remote_mkis;
};

// Gives `command` the flags that only updates have. `flags` outlives the command.
void AddLegUpdateOptions(CLI::App& command, LegUpdateFlags& flags);

inline absl::Status AtFlag(absl::string_view flag, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(flag, ": ", status.message()));
}

// Fills a controller's request or a participant's, which have these fields under the same names.
// Errors begin with the flag that is wrong; nothing to update is one, too.
template <typename Request>
absl::Status FillLegUpdate(const LegUpdateFlags& flags, Request& request) {
  const auto config = BuildLegConfig(flags.config);
  if (!config.ok()) return config.status();
  *request.mutable_config() = *config;
  *request.mutable_update_mask() = BuildLegUpdateMask(flags.config);
  if (!flags.local_key.empty()) {
    const auto change = ParseLocalKeyChange(flags.local_key);
    if (!change.ok()) return change.status();
    request.set_local_key_change(*change);
  }
  if (flags.config.local_mki.has_value()) {
    const auto mki = ParseMki(*flags.config.local_mki);
    if (!mki.ok()) return AtFlag("--local-mki", mki.status());
    request.set_local_mki(*mki);
  }
  for (const std::string& text : flags.retire_remote_mkis) {
    const auto mki = ParseMki(text);
    if (!mki.ok()) return AtFlag("--retire-remote-key", mki.status());
    request.add_retire_remote_mkis(*mki);
  }
  if (request.update_mask().paths().empty() && request.retire_remote_mkis().empty() &&
      flags.local_key.empty()) {
    return absl::InvalidArgumentError(
        "nothing to update: give --remote, --remote-key, --local-key, --hold or another flag");
  }
  return absl::OkStatus();
}

}  // namespace sluice

#endif  // TOOLS_CTL_LEG_UPDATE_H_
