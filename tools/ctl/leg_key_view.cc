#include "tools/ctl/leg_key_view.h"

#include "absl/strings/str_cat.h"
#include "tools/ctl/leg_flags.h"
#include "tools/ctl/session_view.h"

namespace sluice {

std::string RenderLegAndKey(const gateway::v1::Leg& leg, bool has_key,
                            const gateway::v1::SrtpKey& key) {
  std::string text = RenderLeg(leg);
  if (has_key) {
    absl::StrAppend(&text, "\nkey for the peer, told only now: ", FormatSrtpKey(key), "\n");
  }
  return text;
}

}  // namespace sluice
