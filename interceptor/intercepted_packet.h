#ifndef INTERCEPTOR_INTERCEPTED_PACKET_H_
#define INTERCEPTOR_INTERCEPTED_PACKET_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "interceptor/attributes_arena.h"
#include "interceptor/stream_info.h"
#include "srtp/packet_arena.h"
#include "srtp/rtcp_packet_view.h"
#include "srtp/rtp_packet_view.h"

namespace sluice {

// Where a packet came from.
enum class PacketSource : uint8_t {
  // The peer, or whoever forwards to the peer.
  kForwarded,
  // The chain itself: repeated after a NACK (RFC 4588) ...
  kRetransmission,
  // ... parity of packets sent (RFC 8627) ...
  kForwardErrorCorrection,
  // ... a packet that only measures ...
  kProbe,
  // ... or one that never came and was computed from parity or redundancy.
  kRecovered,
};

// One plain RTP packet on its way through a chain: header parsed once, at the border. A row of a
// batch, copied freely; the packet itself belongs to whoever made the row, who finds the loan empty
// when an interceptor took the packet.
struct InterceptedRtp {
  // Not null. The loan holds a packet as long as `taken()` is false.
  PacketLoan* packet;
  // Of packet->bytes(); who changes lengths or place says so with Reparse.
  RtpPacketView view;
  AttributesRef attributes = {};
  // Filled in by the chain.
  StreamSlot stream = kNoStream;
  SsrcRole role = SsrcRole::kMedia;
  PacketSource source = PacketSource::kForwarded;

  // Nothing when the loan is empty or its bytes are no RTP packet (RFC 3550 section 5.1).
  static std::optional<InterceptedRtp> Of(PacketLoan& packet,
                                          PacketSource source = PacketSource::kForwarded) {
    if (!packet) {
      return std::nullopt;
    }
    const std::optional<RtpPacketView> view = RtpPacketView::Parse(packet.bytes());
    if (!view.has_value()) {
      return std::nullopt;
    }
    return InterceptedRtp{.packet = &packet, .view = *view, .source = source};
  }

  // Keeps the packet back: to drop it, to hold it, or to send it later. Only for interceptors whose
  // hooks say `takes_packets`.
  PacketLoan Take() { return std::move(*packet); }
  bool taken() const { return !*packet; }

  // After the bytes were rewritten. False when they are no RTP packet any more; `view` is stale
  // then, and the packet is to be taken.
  [[nodiscard]] bool Reparse() {
    const std::optional<RtpPacketView> parsed = RtpPacketView::Parse(packet->bytes());
    if (!parsed.has_value()) {
      return false;
    }
    view = *parsed;
    return true;
  }
};

// One plain RTCP datagram, compound or reduced-size, on its way through a chain. As above.
struct InterceptedRtcp {
  PacketLoan* packet;
  RtcpPacketView view;
  AttributesRef attributes = {};

  // Nothing when the loan is empty or its first header is no RTCP header.
  static std::optional<InterceptedRtcp> Of(PacketLoan& packet) {
    if (!packet) {
      return std::nullopt;
    }
    const std::optional<RtcpPacketView> view = RtcpPacketView::Parse(packet.bytes());
    if (!view.has_value()) {
      return std::nullopt;
    }
    return InterceptedRtcp{.packet = &packet, .view = *view};
  }

  PacketLoan Take() { return std::move(*packet); }
  bool taken() const { return !*packet; }
};

}  // namespace sluice

#endif  // INTERCEPTOR_INTERCEPTED_PACKET_H_
