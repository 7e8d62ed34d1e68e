#include "srtp/rtp_packet_view.h"

namespace sluice {

std::optional<RtpPacketView> RtpPacketView::ParseHeader(absl::Span<const uint8_t> packet) {
  const auto fixed = FixedReader<kRtpFixedHeaderSize>::From(packet);
  if (!fixed.has_value()) {
    return std::nullopt;
  }
  const uint8_t first = fixed->Load8<0>();
  if (first >> 6 != 2) {
    return std::nullopt;
  }
  size_t header_size = kRtpFixedHeaderSize + 4 * size_t{first & 0x0Fu};
  if ((first & 0x10) != 0) {
    // At most 72: no addition here can overflow.
    header_size += kRtpExtensionHeaderSize;
    if (header_size > packet.size()) {
      return std::nullopt;
    }
    header_size += 4 * size_t{LoadBe16(packet.data() + header_size - 2)};
  }
  if (header_size > packet.size()) {
    return std::nullopt;
  }
  return RtpPacketView(*fixed, packet, header_size);
}

std::optional<RtpPacketView> RtpPacketView::Parse(absl::Span<const uint8_t> packet) {
  std::optional<RtpPacketView> view = ParseHeader(packet);
  if (view.has_value() && view->has_padding()) {
    const absl::Span<const uint8_t> payload = view->payload();
    if (payload.empty() || payload.back() == 0 || payload.back() > payload.size()) {
      return std::nullopt;
    }
    view->padding_size_ = payload.back();
  }
  return view;
}

}  // namespace sluice
