#include "interceptor/rtcp/fir.h"

#include "base/bounded_reader.h"
#include "base/check.h"
#include "interceptor/rtcp/packet_body.h"
#include "interceptor/rtcp/packet_writer.h"
#include "srtp/rtcp_packet_view.h"

namespace sluice {

std::optional<FullIntraRequestView> FullIntraRequestView::Parse(absl::Span<const uint8_t> packet) {
  const std::optional<RtcpFeedbackBody> body =
      RtcpFeedbackBody::Parse(packet, kRtcpPayloadFeedback, kFullIntraRequestFormat);
  if (!body.has_value() || body->fci.empty() || body->fci.size() % kTargetSize != 0) {
    return std::nullopt;
  }
  return FullIntraRequestView(body->sender, body->fci);
}

FullIntraTarget FullIntraRequestView::target(size_t i) const {
  SLUICE_CHECK(i < target_count()) << i << " of " << target_count();
  const auto bytes = FixedReader<kTargetSize>::From(targets_.subspan(i * kTargetSize));
  return {Ssrc(bytes->Load32<0>()), bytes->Load8<4>()};
}

size_t WriteFullIntraRequest(Ssrc sender, absl::Span<const FullIntraTarget> targets,
                             absl::Span<uint8_t> buffer) {
  if (targets.empty()) {
    return 0;
  }
  RtcpPacketWriter writer(buffer, kFullIntraRequestFormat, kRtcpPayloadFeedback);
  writer.PutSsrc(sender);
  writer.U32(0);
  for (const FullIntraTarget& target : targets) {
    writer.PutSsrc(target.ssrc);
    writer.U8(target.sequence);
    writer.U24(0);
  }
  return writer.Finish();
}

}  // namespace sluice
