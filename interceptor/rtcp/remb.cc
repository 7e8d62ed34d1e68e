#include "interceptor/rtcp/remb.h"

#include <algorithm>
#include <bit>

#include "base/bounded_reader.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "interceptor/rtcp/packet_body.h"
#include "interceptor/rtcp/packet_writer.h"
#include "srtp/rtcp_packet_view.h"

namespace sluice {
namespace {

// "REMB".
constexpr uint32_t kIdentifier = 0x52454D42;
constexpr int kMantissaBits = 18;

DataRate RateOf(uint32_t mantissa, unsigned exponent) {
  // Sixty-three bits hold the largest finite rate and the sign is not for it.
  const unsigned width = static_cast<unsigned>(std::bit_width(mantissa));
  if (mantissa != 0 && width + exponent > 63) {
    return DataRate::PlusInfinity();
  }
  return DataRate::BitsPerSec(mantissa == 0 ? 0 : int64_t{mantissa} << exponent);
}

}  // namespace

std::optional<RembView> RembView::Parse(absl::Span<const uint8_t> packet) {
  constexpr size_t kFixedSize = 8;
  const std::optional<RtcpFeedbackBody> body =
      RtcpFeedbackBody::Parse(packet, kRtcpPayloadFeedback, kApplicationLayerFormat);
  if (!body.has_value()) {
    return std::nullopt;
  }
  const auto fixed = FixedReader<kFixedSize>::From(body->fci);
  if (!fixed.has_value() || fixed->Load32<0>() != kIdentifier) {
    return std::nullopt;
  }
  const size_t ssrcs_size = size_t{fixed->Load8<4>()} * 4;
  if (body->fci.size() - kFixedSize < ssrcs_size) {
    return std::nullopt;
  }
  const uint32_t rate = fixed->Load24<5>();
  return RembView(body->sender, RateOf(rate & 0x3FFFF, rate >> kMantissaBits),
                  body->fci.subspan(kFixedSize, ssrcs_size));
}

bool RembView::IsRemb(absl::Span<const uint8_t> packet) {
  constexpr size_t kIdentifierOffset = 12;
  return packet.size() >= kIdentifierOffset + 4 &&
         LoadBe32(packet.data() + kIdentifierOffset) == kIdentifier;
}

Ssrc RembView::ssrc(size_t i) const {
  SLUICE_CHECK(i < ssrc_count()) << i << " of " << ssrc_count();
  return Ssrc(LoadBe32(ssrcs_.data() + 4 * i));
}

size_t WriteRemb(Ssrc sender, DataRate limit, absl::Span<const Ssrc> ssrcs,
                 absl::Span<uint8_t> buffer) {
  if (limit < DataRate::Zero() || ssrcs.size() > kMaxRembSsrcs) {
    return 0;
  }
  const auto bps = static_cast<uint64_t>(limit.bps());
  const int exponent = std::max(0, static_cast<int>(std::bit_width(bps)) - kMantissaBits);
  RtcpPacketWriter writer(buffer, kApplicationLayerFormat, kRtcpPayloadFeedback);
  writer.PutSsrc(sender);
  writer.U32(0);
  writer.U32(kIdentifier);
  writer.U8(static_cast<uint8_t>(ssrcs.size()));
  writer.U24(static_cast<uint32_t>(exponent) << kMantissaBits |
             static_cast<uint32_t>(bps >> exponent));
  for (const Ssrc ssrc : ssrcs) {
    writer.PutSsrc(ssrc);
  }
  return writer.Finish();
}

}  // namespace sluice
