#ifndef SRTP_INITIAL_SEQUENCE_NUMBER_H_
#define SRTP_INITIAL_SEQUENCE_NUMBER_H_

#include <cstdint>

#include "base/random_source.h"
#include "srtp/rtp_types.h"

namespace sluice {

// Where a stream that we originate begins: at random (RFC 3550 section 5.1), below 2^15. A receiver
// takes the first number it sees to be of rollover 0, so a stream that begins close to its first
// wrap and loses the packets before it could not be opened (RFC 3711 section 3.3.1).
inline SequenceNumber InitialSequenceNumber(RandomSource& random) {
  return SequenceNumber(static_cast<uint16_t>(random.Below(uint64_t{1} << 15)));
}

}  // namespace sluice

#endif  // SRTP_INITIAL_SEQUENCE_NUMBER_H_
