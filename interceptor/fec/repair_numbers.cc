#include "interceptor/fec/repair_numbers.h"

#include "base/check.h"
#include "srtp/initial_sequence_number.h"

namespace sluice {

RepairNumbering& RepairNumbers::Begin(Ssrc ssrc) {
  RepairNumbering* best = nullptr;
  for (RepairNumbering& numbering : numberings_) {
    if (numbering.ssrc == ssrc) {
      numbering.active = true;
      return numbering;
    }
    if (!numbering.active && (best == nullptr || best->ssrc.has_value())) {
      best = &numbering;
    }
  }
  SLUICE_CHECK(best != nullptr);
  *best = {.ssrc = ssrc,
           .next_sequence = InitialSequenceNumber(random_).value(),
           .timestamp_offset = random_.NextU32(),
           .active = true};
  return *best;
}

}  // namespace sluice
