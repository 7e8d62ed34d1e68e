#include "gateway/tokens/participant_rights.h"

#include "base/check.h"

namespace sluice {

absl::string_view ParticipantRightName(ParticipantRight right) {
  for (const ParticipantRightRow& row : kParticipantRights) {
    if (row.right == right) {
      return row.name;
    }
  }
  SLUICE_CHECK(false);
  return "";
}

std::optional<ParticipantRight> ParseParticipantRight(absl::string_view name) {
  for (const ParticipantRightRow& row : kParticipantRights) {
    if (row.name == name) {
      return row.right;
    }
  }
  return std::nullopt;
}

}  // namespace sluice
