#ifndef SRTP_PACKET_KIND_H_
#define SRTP_PACKET_KIND_H_

#include <cstdint>

namespace sluice {

// Told apart by the second byte where both arrive on one port (RFC 5761 section 4).
enum class PacketKind : uint8_t { kRtp, kRtcp };

}  // namespace sluice

#endif  // SRTP_PACKET_KIND_H_
