#ifndef GATEWAY_TOKENS_PARTICIPANT_RIGHTS_H_
#define GATEWAY_TOKENS_PARTICIPANT_RIGHTS_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace sluice {

// What a token may let its bearer do with the one leg that it names.
enum class ParticipantRight : uint8_t { kJoin, kUpdate, kLeave, kEvents };

// The one table of rights. Names are those in tokens and in errors.
struct ParticipantRightRow {
  ParticipantRight right;
  absl::string_view name;
};
inline constexpr ParticipantRightRow kParticipantRights[] = {
    {ParticipantRight::kJoin, "join"},
    {ParticipantRight::kUpdate, "update"},
    {ParticipantRight::kLeave, "leave"},
    {ParticipantRight::kEvents, "events"},
};

absl::string_view ParticipantRightName(ParticipantRight right);
// Nothing when there is none of that name.
std::optional<ParticipantRight> ParseParticipantRight(absl::string_view name);

// A set of rights. Value.
class ParticipantRights {
 public:
  // None.
  constexpr ParticipantRights() = default;
  static constexpr ParticipantRights All() {
    ParticipantRights all;
    for (const ParticipantRightRow& row : kParticipantRights) {
      all.Add(row.right);
    }
    return all;
  }

  constexpr void Add(ParticipantRight right) { bits_ |= Bit(right); }
  constexpr bool Has(ParticipantRight right) const { return (bits_ & Bit(right)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }

  friend bool operator==(const ParticipantRights&, const ParticipantRights&) = default;

 private:
  static constexpr uint32_t Bit(ParticipantRight right) {
    return uint32_t{1} << static_cast<uint8_t>(right);
  }

  uint32_t bits_ = 0;
};

}  // namespace sluice

#endif  // GATEWAY_TOKENS_PARTICIPANT_RIGHTS_H_
