#ifndef QUIC_CODEC_QUIC_VERSION_H_
#define QUIC_CODEC_QUIC_VERSION_H_

#include <cstdint>

#include "base/random_source.h"
#include "base/strong_int.h"

namespace sluice {

// The 32 bits of a long header that say which QUIC it is (RFC 9000 section 15).
using QuicVersion = StrongInt<struct QuicVersionTag, uint32_t>;

// RFC 9000 and RFC 9369.
inline constexpr QuicVersion kQuicVersion1{0x00000001};
inline constexpr QuicVersion kQuicVersion2{0x6b3343cf};

// What Version Negotiation packets have in the version's place; no version of its own.
inline constexpr QuicVersion kVersionNegotiation{0};

// Of the form 0x?a?a?a?a: means nothing and never will, sent so that nobody forgets to ignore
// versions that he does not know (RFC 9000 sections 6.3 and 15).
constexpr bool IsReservedVersion(QuicVersion version) {
  return (version.value() & 0x0F0F0F0F) == 0x0A0A0A0A;
}

// Any of the 65536 reserved ones.
inline QuicVersion DrawReservedVersion(RandomSource& random) {
  return QuicVersion((random.NextU32() & 0xF0F0F0F0) | 0x0A0A0A0A);
}

}  // namespace sluice

#endif  // QUIC_CODEC_QUIC_VERSION_H_
