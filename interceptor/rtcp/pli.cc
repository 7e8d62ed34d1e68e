#include "interceptor/rtcp/pli.h"

#include "interceptor/rtcp/packet_body.h"
#include "interceptor/rtcp/packet_writer.h"
#include "srtp/rtcp_packet_view.h"

namespace sluice {

std::optional<PictureLoss> PictureLoss::Parse(absl::Span<const uint8_t> packet) {
  const std::optional<RtcpFeedbackBody> body =
      RtcpFeedbackBody::Parse(packet, kRtcpPayloadFeedback, kPictureLossFormat);
  if (!body.has_value()) {
    return std::nullopt;
  }
  return PictureLoss{body->sender, body->media};
}

size_t WritePictureLoss(const PictureLoss& loss, absl::Span<uint8_t> buffer) {
  RtcpPacketWriter writer(buffer, kPictureLossFormat, kRtcpPayloadFeedback);
  writer.PutSsrc(loss.sender);
  writer.PutSsrc(loss.media);
  return writer.Finish();
}

}  // namespace sluice
