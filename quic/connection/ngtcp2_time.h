#ifndef QUIC_CONNECTION_NGTCP2_TIME_H_
#define QUIC_CONNECTION_NGTCP2_TIME_H_

#include <ngtcp2/ngtcp2.h>

#include <algorithm>
#include <cstdint>

#include "base/time_delta.h"
#include "base/timestamp.h"

namespace sluice {

// Our times in those of ngtcp2: nanoseconds, UINT64_MAX is "never". It has none before zero.
constexpr ngtcp2_tstamp ToNanoseconds(Timestamp time) {
  return static_cast<uint64_t>(std::max<int64_t>(time.us(), 0)) * 1000;
}
constexpr ngtcp2_duration ToNanoseconds(TimeDelta time) {
  return static_cast<uint64_t>(std::max<int64_t>(time.us(), 0)) * 1000;
}

// Rounded up: what is due then is due at what is returned.
constexpr Timestamp FromNanoseconds(ngtcp2_tstamp ns) {
  if (ns == UINT64_MAX) return Timestamp::PlusInfinity();
  return Timestamp::Micros(static_cast<int64_t>(ns / 1000 + (ns % 1000 != 0 ? 1 : 0)));
}

}  // namespace sluice

#endif  // QUIC_CONNECTION_NGTCP2_TIME_H_
