#include "srtp/rtcp_packet_view.h"

namespace sluice {

std::optional<RtcpPacketView> RtcpPacketView::Parse(absl::Span<const uint8_t> datagram) {
  const auto first = FixedReader<kRtcpFirstHeaderSize>::From(datagram);
  if (!first.has_value() || first->Load8<0>() >> 6 != 2 || !LooksLikeRtcp(datagram)) {
    return std::nullopt;
  }
  const RtcpPacketView view(*first, datagram);
  if (view.first_packet_size() < kRtcpFirstHeaderSize ||
      view.first_packet_size() > datagram.size()) {
    return std::nullopt;
  }
  return view;
}

size_t RtcpPacketView::ValidPacketSize(absl::Span<const uint8_t> rest) {
  if (rest.size() < kRtcpHeaderSize || rest[0] >> 6 != 2) {
    return 0;
  }
  // In size_t: a length of 0xFFFF is 262144 bytes, not none.
  const size_t size = (size_t{LoadBe16(rest.data() + 2)} + 1) * 4;
  if (size > rest.size()) {
    return 0;
  }
  const bool padded = (rest[0] & 0x20) != 0;
  if (padded && (rest[size - 1] == 0 || rest[size - 1] > size - kRtcpHeaderSize)) {
    return 0;
  }
  return size;
}

}  // namespace sluice
