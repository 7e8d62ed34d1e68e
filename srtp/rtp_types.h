#ifndef SRTP_RTP_TYPES_H_
#define SRTP_RTP_TYPES_H_

#include <cstdint>

#include "base/strong_int.h"

namespace sluice {

// Synchronization source identifier (RFC 3550 section 5.1). Any value is legal.
using Ssrc = StrongInt<struct SsrcTag, uint32_t>;

// 0..127 (RFC 3550 section 5.1).
using PayloadType = StrongInt<struct PayloadTypeTag, uint8_t>;

// 16 bits, wraps; unwrap before comparing (RFC 3550 section 5.1).
using SequenceNumber = StrongInt<struct SequenceNumberTag, uint16_t>;

// 32 bits, wraps; in units of the payload's clock (RFC 3550 section 5.1).
using RtpTimestamp = StrongInt<struct RtpTimestampTag, uint32_t>;

// Rollover counter: how often the sequence number wrapped (RFC 3711 section 3.3.1).
using Roc = OrderedStrongInt<struct RocTag, uint32_t>;

// SRTP packet index, 48 bits: 2^16 * ROC + sequence number (RFC 3711 section 3.3.1).
using PacketIndex = OrderedStrongInt<struct PacketIndexTag, uint64_t>;

// SRTCP index, 31 bits (RFC 3711 section 3.4).
using SrtcpIndex = OrderedStrongInt<struct SrtcpIndexTag, uint32_t>;

}  // namespace sluice

#endif  // SRTP_RTP_TYPES_H_
