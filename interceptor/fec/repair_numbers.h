#ifndef INTERCEPTOR_FEC_REPAIR_NUMBERS_H_
#define INTERCEPTOR_FEC_REPAIR_NUMBERS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/random_source.h"
#include "srtp/rtp_types.h"

namespace sluice {

// What a repair stream of ours goes on with.
struct RepairNumbering {
  // Nothing: free.
  std::optional<Ssrc> ssrc;
  uint16_t next_sequence = 0;
  // Added to the time.
  uint32_t timestamp_offset = 0;
  bool active = false;
};

// Sequence numbers and timestamps of repair streams. Both begin at random (RFC 3550 section 5.1)
// and go on when a stream ends and comes back: for SRTP, who knows it by its SSRC, they must not
// run backwards. One thread.
class RepairNumbers {
 public:
  // `random` outlives this.
  RepairNumbers(size_t max_streams, RandomSource& random)
      : random_(random), numberings_(max_streams) {}

  // Of the stream with this SSRC: as it was, else a new one in place of one that is not active. At
  // most `max_streams` may be active. Stays where it is.
  RepairNumbering& Begin(Ssrc ssrc);
  void End(RepairNumbering& numbering) { numbering.active = false; }

 private:
  RandomSource& random_;
  std::vector<RepairNumbering> numberings_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_FEC_REPAIR_NUMBERS_H_
