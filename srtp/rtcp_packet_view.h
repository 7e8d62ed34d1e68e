#ifndef SRTP_RTCP_PACKET_VIEW_H_
#define SRTP_RTCP_PACKET_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "base/bounded_reader.h"
#include "base/byte_order.h"
#include "srtp/rtp_types.h"

namespace sluice {

// Header and sender SSRC of the first packet of a compound: what SRTCP leaves readable
// (RFC 3711 section 3.4).
inline constexpr size_t kRtcpFirstHeaderSize = 8;
// Header of every packet of a compound (RFC 3550 section 6.4.1).
inline constexpr size_t kRtcpHeaderSize = 4;

// Packet types that an RTP packet sharing the port cannot look like (RFC 5761 section 4).
inline constexpr uint8_t kMinRtcpPacketType = 192;
inline constexpr uint8_t kMaxRtcpPacketType = 223;

// Packet types of RFC 3550 section 12.1, RFC 4585 section 6.1 and RFC 3611 section 2.
inline constexpr uint8_t kRtcpSenderReport = 200;
inline constexpr uint8_t kRtcpReceiverReport = 201;
inline constexpr uint8_t kRtcpSourceDescription = 202;
inline constexpr uint8_t kRtcpGoodbye = 203;
inline constexpr uint8_t kRtcpApplication = 204;
inline constexpr uint8_t kRtcpTransportFeedback = 205;
inline constexpr uint8_t kRtcpPayloadFeedback = 206;
inline constexpr uint8_t kRtcpExtendedReport = 207;

// Tells RTCP from RTP on one port: the second byte is in 192..223 (RFC 5761 section 4). Says
// nothing of whether the packet is well formed; false when there is no second byte.
inline bool LooksLikeRtcp(absl::Span<const uint8_t> datagram) {
  return datagram.size() >= 2 && datagram[1] >= kMinRtcpPacketType &&
         datagram[1] <= kMaxRtcpPacketType;
}

// One RTCP datagram, compound or reduced-size (RFC 5506), whose first header is proven; also before
// decryption. Points into the bytes it was parsed from. Copying is cheap.
class RtcpPacketView {
 public:
  // nullopt unless V = 2, the type is in 192..223 (RFC 5761 section 4) and the first packet has at
  // least its header and sender SSRC and at most the bytes of `datagram`. Reads the first eight
  // bytes only, so SRTCP may be given with trailer and tag (RFC 3711 section 3.4).
  static std::optional<RtcpPacketView> Parse(absl::Span<const uint8_t> datagram);

  // Of the sender of the first packet (RFC 3550 section 6.4.1), which SRTCP's state goes by
  // (RFC 3711 section 3.4).
  Ssrc ssrc() const { return Ssrc(first_.Load32<4>()); }
  // Of the first packet.
  uint8_t packet_type() const { return first_.Load8<1>(); }
  // Bytes of the first packet, header included.
  size_t first_packet_size() const { return (size_t{first_.Load16<2>()} + 1) * 4; }

  // All of it.
  absl::Span<const uint8_t> bytes() const { return datagram_; }

  // Whether the packets' own lengths add up to exactly the datagram, each with V = 2 and, where P =
  // 1, with a padding count that its body can hold (RFC 3550 appendix A.2). Only for decrypted
  // bytes. Of the appendix two checks are left out: that SR or RR comes first, because reduced-size
  // RTCP has neither (RFC 5506), and that only the last packet is padded, because libwebrtc pads
  // every transport-wide feedback packet of a compound.
  bool IsValidCompound() const {
    return ForEachPacket([](uint8_t, uint8_t, absl::Span<const uint8_t>) {});
  }

  // Calls `f(uint8_t type, uint8_t count, absl::Span<const uint8_t> packet)` for each packet in
  // order; `count` is the five bits before the type (RFC 3550 section 6.4.1; a feedback packet's
  // format, RFC 4585 section 6.1), `packet` starts at its header and has its padding. Stops in
  // front of the first packet that is not as in IsValidCompound, and is false then.
  template <typename F>
  bool ForEachPacket(F&& f) const;

 private:
  RtcpPacketView(FixedReader<kRtcpFirstHeaderSize> first, absl::Span<const uint8_t> datagram)
      : first_(first), datagram_(datagram) {}

  // Size of the packet at the front of `rest`, 0 when it is not valid.
  static size_t ValidPacketSize(absl::Span<const uint8_t> rest);

  FixedReader<kRtcpFirstHeaderSize> first_;
  absl::Span<const uint8_t> datagram_;
};

template <typename F>
bool RtcpPacketView::ForEachPacket(F&& f) const {
  absl::Span<const uint8_t> rest = datagram_;
  while (!rest.empty()) {
    const size_t size = ValidPacketSize(rest);
    if (size == 0) {
      return false;
    }
    f(rest[1], static_cast<uint8_t>(rest[0] & 0x1F), rest.first(size));
    rest.remove_prefix(size);
  }
  return true;
}

}  // namespace sluice

#endif  // SRTP_RTCP_PACKET_VIEW_H_
