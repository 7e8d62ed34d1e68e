#include "tests/sim/link_emulator.h"

namespace sluice {

bool LinkChance::Loses() {
  bad_ = bad_ ? !Happens(options_.burst_loss.to_good_permille)
              : Happens(options_.burst_loss.to_bad_permille);
  return Happens(bad_ ? options_.burst_loss.lost_permille : options_.lost_permille);
}

Timestamp LinkChance::ArrivalOf(Timestamp departure) {
  Timestamp arrival = departure + options_.delay;
  if (options_.jitter > TimeDelta::Zero()) {
    const uint64_t jitter = random_.Below(static_cast<uint64_t>(options_.jitter.us()) + 1);
    arrival += TimeDelta::Micros(static_cast<int64_t>(jitter));
  }
  if (!options_.jitter_reorders) {
    arrival = last_arrival_ = std::max(last_arrival_, arrival);
  }
  // Not remembered: those behind overtake.
  return Happens(options_.reordered_permille) ? arrival + options_.reordered_by : arrival;
}

}  // namespace sluice
