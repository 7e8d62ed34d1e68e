#include "interceptor/rtcp/compound.h"

#include "base/byte_order.h"

namespace sluice {
namespace {

bool IsReport(uint8_t type) { return type == kRtcpSenderReport || type == kRtcpReceiverReport; }

bool HasCname(absl::Span<const uint8_t> packet) {
  const std::optional<SdesView> sdes = SdesView::Parse(packet);
  bool found = false;
  if (sdes.has_value()) {
    sdes->ForEachItem([&](Ssrc, SdesItem item, absl::Span<const uint8_t> text) {
      found = found || (item == SdesItem::kCname && !text.empty());
    });
  }
  return found;
}

}  // namespace

bool IsFullCompound(const RtcpPacketView& datagram) {
  bool has_cname = false;
  const bool complete =
      datagram.ForEachPacket([&](uint8_t type, uint8_t, absl::Span<const uint8_t> packet) {
        has_cname = has_cname || (type == kRtcpSourceDescription && HasCname(packet));
      });
  return complete && has_cname && IsReport(datagram.packet_type());
}

AddRtcpVerdict CompoundBuilder::Commit(size_t size) {
  if (size == 0 || size > room().size()) {
    return AddRtcpVerdict::kNoRoom;
  }
  const absl::Span<const uint8_t> packet = room().first(size);
  if (size < kRtcpHeaderSize || packet[0] >> 6 != 2 || !LooksLikeRtcp(packet) ||
      (size_t{LoadBe16(packet.data() + 2)} + 1) * 4 != size) {
    return AddRtcpVerdict::kMalformed;
  }
  if (mode_ == RtcpMode::kCompound && size_ == 0 && !IsReport(packet[1])) {
    return AddRtcpVerdict::kReportMissing;
  }
  has_cname_ = has_cname_ || (packet[1] == kRtcpSourceDescription && HasCname(packet));
  size_ += size;
  return AddRtcpVerdict::kOk;
}

AddRtcpVerdict CompoundBuilder::Add(absl::Span<const uint8_t> packet) {
  if (packet.size() > room().size()) {
    return AddRtcpVerdict::kNoRoom;
  }
  CopyBytes(room(), packet);
  return Commit(packet.size());
}

}  // namespace sluice
