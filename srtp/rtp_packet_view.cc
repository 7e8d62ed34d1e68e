#include "srtp/rtp_packet_view.h"

namespace sluice {

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
