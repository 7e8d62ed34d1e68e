#include "interceptor/rtcp/xr.h"

#include "base/check.h"
#include "interceptor/rtcp/packet_body.h"
#include "srtp/rtcp_packet_view.h"

namespace sluice {
namespace {

// Bodies of blocks, their header of four bytes left out (RFC 3611 sections 4.4 and 4.7).
constexpr size_t kReferenceTimeSize = 8;
constexpr size_t kVoipMetricsSize = 32;

}  // namespace

std::optional<ReferenceTimeAnswers> ReferenceTimeAnswers::From(absl::Span<const uint8_t> body) {
  if (body.size() % kAnswerSize != 0) {
    return std::nullopt;
  }
  return ReferenceTimeAnswers(body);
}

ReferenceTimeAnswer ReferenceTimeAnswers::answer(size_t i) const {
  SLUICE_CHECK(i < count()) << i << " of " << count();
  const auto bytes = FixedReader<kAnswerSize>::From(body_.subspan(i * kAnswerSize));
  return {Ssrc(bytes->Load32<0>()), bytes->Load32<4>(), bytes->Load32<8>()};
}

std::optional<XrView> XrView::Parse(absl::Span<const uint8_t> packet) {
  constexpr size_t kSsrcSize = 4;
  const std::optional<RtcpPacketBody> body = RtcpPacketBody::Parse(packet, kRtcpExtendedReport);
  if (!body.has_value()) {
    return std::nullopt;
  }
  const auto ssrc = FixedReader<kSsrcSize>::From(body->bytes);
  if (!ssrc.has_value()) {
    return std::nullopt;
  }
  return XrView(Ssrc(ssrc->Load32<0>()), body->bytes.subspan(kSsrcSize));
}

std::optional<ReceiverReferenceTime> XrView::ReadReferenceTime(absl::Span<const uint8_t> body) {
  const auto bytes = FixedReader<kReferenceTimeSize>::From(body);
  if (!bytes.has_value() || body.size() != kReferenceTimeSize) {
    return std::nullopt;
  }
  return ReceiverReferenceTime{bytes->Load64<0>()};
}

std::optional<VoipMetrics> XrView::ReadVoipMetrics(absl::Span<const uint8_t> body) {
  const auto bytes = FixedReader<kVoipMetricsSize>::From(body);
  if (!bytes.has_value() || body.size() != kVoipMetricsSize) {
    return std::nullopt;
  }
  VoipMetrics metrics;
  metrics.ssrc = Ssrc(bytes->Load32<0>());
  metrics.loss_rate = bytes->Load8<4>();
  metrics.discard_rate = bytes->Load8<5>();
  metrics.burst_density = bytes->Load8<6>();
  metrics.gap_density = bytes->Load8<7>();
  metrics.burst_duration = bytes->Load16<8>();
  metrics.gap_duration = bytes->Load16<10>();
  metrics.round_trip_delay = bytes->Load16<12>();
  metrics.end_system_delay = bytes->Load16<14>();
  metrics.signal_level = static_cast<int8_t>(bytes->Load8<16>());
  metrics.noise_level = static_cast<int8_t>(bytes->Load8<17>());
  metrics.residual_echo_return_loss = bytes->Load8<18>();
  metrics.gap_threshold = bytes->Load8<19>();
  metrics.r_factor = bytes->Load8<20>();
  metrics.external_r_factor = bytes->Load8<21>();
  metrics.mos_listening = bytes->Load8<22>();
  metrics.mos_conversational = bytes->Load8<23>();
  metrics.receiver_configuration = bytes->Load8<24>();
  metrics.jitter_buffer_nominal = bytes->Load16<26>();
  metrics.jitter_buffer_maximum = bytes->Load16<28>();
  metrics.jitter_buffer_absolute_maximum = bytes->Load16<30>();
  return metrics;
}

XrWriter::XrWriter(Ssrc ssrc, absl::Span<uint8_t> buffer)
    : writer_(buffer, 0, kRtcpExtendedReport) {
  writer_.PutSsrc(ssrc);
}

void XrWriter::BlockHeader(uint8_t type, size_t body_size) {
  writer_.U8(type);
  writer_.U8(0);
  writer_.U16(static_cast<uint16_t>(body_size / 4));
}

void XrWriter::Add(const ReceiverReferenceTime& time) {
  BlockHeader(XrView::kReferenceTimeType, kReferenceTimeSize);
  writer_.U64(time.ntp_time);
}

void XrWriter::Add(absl::Span<const ReferenceTimeAnswer> answers) {
  // More than its length field can say do not fit the packet's length either: Finish says so.
  BlockHeader(XrView::kAnswersType, answers.size() * ReferenceTimeAnswers::kAnswerSize);
  for (const ReferenceTimeAnswer& answer : answers) {
    writer_.PutSsrc(answer.ssrc);
    writer_.U32(answer.last_reference_time);
    writer_.U32(answer.delay_since);
  }
}

void XrWriter::Add(const VoipMetrics& metrics) {
  BlockHeader(XrView::kVoipMetricsType, kVoipMetricsSize);
  writer_.PutSsrc(metrics.ssrc);
  writer_.U8(metrics.loss_rate);
  writer_.U8(metrics.discard_rate);
  writer_.U8(metrics.burst_density);
  writer_.U8(metrics.gap_density);
  writer_.U16(metrics.burst_duration);
  writer_.U16(metrics.gap_duration);
  writer_.U16(metrics.round_trip_delay);
  writer_.U16(metrics.end_system_delay);
  writer_.U8(static_cast<uint8_t>(metrics.signal_level));
  writer_.U8(static_cast<uint8_t>(metrics.noise_level));
  writer_.U8(metrics.residual_echo_return_loss);
  writer_.U8(metrics.gap_threshold);
  writer_.U8(metrics.r_factor);
  writer_.U8(metrics.external_r_factor);
  writer_.U8(metrics.mos_listening);
  writer_.U8(metrics.mos_conversational);
  writer_.U8(metrics.receiver_configuration);
  writer_.U8(0);
  writer_.U16(metrics.jitter_buffer_nominal);
  writer_.U16(metrics.jitter_buffer_maximum);
  writer_.U16(metrics.jitter_buffer_absolute_maximum);
}

}  // namespace sluice
