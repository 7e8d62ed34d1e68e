#ifndef GATEWAY_DEMUX_DATAGRAM_KIND_H_
#define GATEWAY_DEMUX_DATAGRAM_KIND_H_

#include <array>
#include <cstdint>

#include "absl/types/span.h"
#include "srtp/rtcp_packet_view.h"

namespace sluice {

// What may arrive on one UDP port beside each other (RFC 7983 section 7, RFC 5761 section 4).
enum class DatagramKind : uint8_t {
  kStun,
  kZrtp,
  kDtls,
  kTurnChannel,
  kRtp,
  kRtcp,
  // Nothing that RFC 7983 has a place for; an empty datagram too.
  kUnknown,
};

// RFC 7983 section 7, figure 3. RTP stands for RTP and RTCP, which share their first bytes.
inline constexpr std::array<DatagramKind, 256> kDatagramKindByFirstByte = [] {
  std::array<DatagramKind, 256> table{};
  for (size_t byte = 0; byte < table.size(); ++byte) {
    table[byte] = byte <= 3                    ? DatagramKind::kStun
                  : byte >= 16 && byte <= 19   ? DatagramKind::kZrtp
                  : byte >= 20 && byte <= 63   ? DatagramKind::kDtls
                  : byte >= 64 && byte <= 79   ? DatagramKind::kTurnChannel
                  : byte >= 128 && byte <= 191 ? DatagramKind::kRtp
                                               : DatagramKind::kUnknown;
  }
  return table;
}();

// Looks at the first two bytes only; says nothing of whether the datagram is well formed.
inline DatagramKind ClassifyDatagram(absl::Span<const uint8_t> datagram) {
  if (datagram.empty()) {
    return DatagramKind::kUnknown;
  }
  const DatagramKind kind = kDatagramKindByFirstByte[datagram[0]];
  return kind == DatagramKind::kRtp && LooksLikeRtcp(datagram) ? DatagramKind::kRtcp : kind;
}

}  // namespace sluice

#endif  // GATEWAY_DEMUX_DATAGRAM_KIND_H_
