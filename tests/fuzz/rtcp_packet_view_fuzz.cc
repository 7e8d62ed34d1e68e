// Any bytes as an RTCP datagram. Nothing is read outside of them, and the packets tile it.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "base/check.h"
#include "srtp/rtcp_packet_view.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::Span<const uint8_t> datagram(data, size);
  const bool looks_like_rtcp = sluice::LooksLikeRtcp(datagram);
  const std::optional<sluice::RtcpPacketView> view = sluice::RtcpPacketView::Parse(datagram);
  if (!view.has_value()) {
    return 0;
  }
  SLUICE_CHECK(looks_like_rtcp);
  SLUICE_CHECK(size >= sluice::kRtcpFirstHeaderSize);
  SLUICE_CHECK(view->first_packet_size() <= size);
  static_cast<void>(view->ssrc());

  size_t at = 0;
  volatile uint8_t sink = 0;
  const bool complete =
      view->ForEachPacket([&](uint8_t type, uint8_t count, absl::Span<const uint8_t> packet) {
        SLUICE_CHECK(packet.data() == data + at);
        SLUICE_CHECK(packet.size() >= sluice::kRtcpHeaderSize && packet.size() % 4 == 0);
        SLUICE_CHECK(type == packet[1] && count <= 31);
        at += packet.size();
        SLUICE_CHECK(at <= size);
        for (const uint8_t byte : packet) {
          sink = byte;
        }
      });
  static_cast<void>(sink);
  SLUICE_CHECK(complete == (at == size));
  SLUICE_CHECK(complete == view->IsValidCompound());
  return 0;
}
