#include "interceptor/pacer/leaky_bucket.h"

#include "base/check.h"

namespace sluice {

void LeakyBucket::SetRate(Timestamp now, DataRate rate) {
  SLUICE_DCHECK(rate > DataRate::Zero());
  const int64_t at = ToUnits(now);
  if (busy_until_ > at && rate_ > DataRate::Zero()) {
    const int64_t left = saturating::MultiplyDivide(busy_until_ - at, rate_.bps(), rate.bps());
    busy_until_ = at + std::min(left, kMaxBusyUnits);
  }
  rate_ = rate;
  // The lower bound on rates that this is keeps the largest packet's product within 63 bits.
  fine_units_per_byte_ =
      std::min(kBitMicrosPerByteSecond * kUnitsPerMicro * kFineUnitsPerUnit / rate.bps(),
               kMaxBusyUnits * kFineUnitsPerUnit);
}

}  // namespace sluice
