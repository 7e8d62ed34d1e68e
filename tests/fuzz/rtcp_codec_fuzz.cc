// Any bytes as an RTCP datagram and as one packet of each type. Nothing is read outside of them,
// work is in proportion to them, and what was read can be written and read again.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "base/check.h"
#include "base/data_rate.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "interceptor/rtcp/app.h"
#include "interceptor/rtcp/bye.h"
#include "interceptor/rtcp/ccfb.h"
#include "interceptor/rtcp/compound.h"
#include "interceptor/rtcp/fir.h"
#include "interceptor/rtcp/nack.h"
#include "interceptor/rtcp/pli.h"
#include "interceptor/rtcp/receiver_report.h"
#include "interceptor/rtcp/remb.h"
#include "interceptor/rtcp/report_block.h"
#include "interceptor/rtcp/sdes.h"
#include "interceptor/rtcp/sender_report.h"
#include "interceptor/rtcp/transport_feedback.h"
#include "interceptor/rtcp/xr.h"
#include "srtp/rtcp_packet_view.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

// Reads every byte, for AddressSanitizer.
void Touch(absl::Span<const uint8_t> bytes) {
  volatile uint8_t sink = 0;
  for (const uint8_t byte : bytes) {
    sink = byte;
  }
  static_cast<void>(sink);
}

template <typename View>
std::vector<ReportBlock> BlocksOf(const View& report) {
  std::vector<ReportBlock> blocks;
  for (size_t i = 0; i < report.block_count(); ++i) {
    blocks.push_back(report.block(i));
  }
  Touch(report.extension());
  return blocks;
}

void Check(const SenderReportView& report, size_t size) {
  const std::vector<ReportBlock> blocks = BlocksOf(report);
  Bytes buffer(size);
  buffer.resize(WriteSenderReport(report.sender(), blocks, absl::MakeSpan(buffer)));
  const auto again = SenderReportView::Parse(buffer);
  SLUICE_CHECK(again.has_value() && again->sender() == report.sender());
  SLUICE_CHECK(BlocksOf(*again) == blocks);
}

void Check(const ReceiverReportView& report, size_t size) {
  const std::vector<ReportBlock> blocks = BlocksOf(report);
  Bytes buffer(size);
  buffer.resize(WriteReceiverReport(report.ssrc(), blocks, absl::MakeSpan(buffer)));
  const auto again = ReceiverReportView::Parse(buffer);
  SLUICE_CHECK(again.has_value() && again->ssrc() == report.ssrc());
  SLUICE_CHECK(BlocksOf(*again) == blocks);
}

void Check(const SdesView& sdes, size_t size) {
  size_t bytes = 0;
  sdes.ForEachItem([&](Ssrc, SdesItem, absl::Span<const uint8_t> text) {
    Touch(text);
    bytes += 2 + text.size();
  });
  SLUICE_CHECK(bytes <= size);
}

void Check(const ByeView& bye, size_t size) {
  SLUICE_CHECK(4 + 4 * bye.source_count() + bye.reason().size() <= size);
  for (size_t i = 0; i < bye.source_count(); ++i) {
    static_cast<void>(bye.source(i));
  }
  Touch(bye.reason());
}

void Check(const AppView& app, size_t size) {
  SLUICE_CHECK(12 + app.data().size() <= size);
  Touch(app.data());
}

void Check(const XrView& xr, size_t size) {
  std::vector<ReceiverReferenceTime> times;
  std::vector<ReferenceTimeAnswer> answers;
  std::vector<VoipMetrics> metrics;
  const XrBlockCounts counts =
      xr.ForEachBlock(RtcpReader{[&](const ReceiverReferenceTime& time) { times.push_back(time); },
                                 [&](const ReferenceTimeAnswers& list) {
                                   for (size_t i = 0; i < list.count(); ++i) {
                                     answers.push_back(list.answer(i));
                                   }
                                 },
                                 [&](const VoipMetrics& m) { metrics.push_back(m); }});
  SLUICE_CHECK(4 * (counts.read + counts.skipped + counts.malformed) <= size);
  // Several lists become one.
  Bytes buffer(size + 4);
  XrWriter writer(xr.ssrc(), absl::MakeSpan(buffer));
  for (const ReceiverReferenceTime& time : times) {
    writer.Add(time);
  }
  for (const VoipMetrics& m : metrics) {
    writer.Add(m);
  }
  writer.Add(answers);
  buffer.resize(writer.Finish());
  const auto again = XrView::Parse(buffer);
  SLUICE_CHECK(again.has_value());
  std::vector<VoipMetrics> metrics_again;
  SLUICE_CHECK(
      again->ForEachBlock([&](const VoipMetrics& m) { metrics_again.push_back(m); }).malformed ==
      0);
  SLUICE_CHECK(metrics_again == metrics);
}

std::vector<SequenceNumber> MissingOf(const NackView& nack) {
  std::vector<SequenceNumber> missing;
  nack.ForEachMissing([&](SequenceNumber n) { missing.push_back(n); });
  return missing;
}

void Check(const NackView& nack, size_t size) {
  const std::vector<SequenceNumber> missing = MissingOf(nack);
  SLUICE_CHECK(missing.size() <= kMaxNackItemPackets * size / 4);
  // In any order and with repetitions: every number is named again.
  Bytes buffer(12 + 4 * missing.size());
  size_t written = 0;
  buffer.resize(WriteNack(nack.sender(), nack.media(), missing, absl::MakeSpan(buffer), written));
  SLUICE_CHECK(written == missing.size());
  const auto again = NackView::Parse(buffer);
  SLUICE_CHECK(again.has_value() && again->media() == nack.media());
  std::vector<bool> named(65536);
  for (const SequenceNumber n : missing) {
    named[n.value()] = true;
  }
  for (const SequenceNumber n : MissingOf(*again)) {
    SLUICE_CHECK(named[n.value()]);
  }
}

void Check(const PictureLoss& loss, size_t) {
  Bytes buffer(12);
  SLUICE_CHECK(WritePictureLoss(loss, absl::MakeSpan(buffer)) == 12);
  SLUICE_CHECK(PictureLoss::Parse(buffer) == loss);
}

void Check(const FullIntraRequestView& request, size_t size) {
  std::vector<FullIntraTarget> targets;
  for (size_t i = 0; i < request.target_count(); ++i) {
    targets.push_back(request.target(i));
  }
  Bytes buffer(size);
  buffer.resize(WriteFullIntraRequest(request.sender(), targets, absl::MakeSpan(buffer)));
  const auto again = FullIntraRequestView::Parse(buffer);
  SLUICE_CHECK(again.has_value() && again->target_count() == targets.size());
}

void Check(const RembView& remb, size_t size) {
  std::vector<Ssrc> ssrcs;
  for (size_t i = 0; i < remb.ssrc_count(); ++i) {
    ssrcs.push_back(remb.ssrc(i));
  }
  SLUICE_CHECK(remb.limit() >= DataRate::Zero());
  Bytes buffer(size);
  buffer.resize(WriteRemb(remb.sender(), remb.limit(), ssrcs, absl::MakeSpan(buffer)));
  const auto again = RembView::Parse(buffer);
  SLUICE_CHECK(again.has_value() && again->ssrc_count() == ssrcs.size());
  SLUICE_CHECK(!remb.limit().IsFinite() || again->limit() == remb.limit());
}

// Arrivals and missing packets by distance from the first packet.
std::vector<TransportArrival> ArrivalsOf(const TransportFeedbackView& feedback) {
  std::vector<TransportArrival> arrivals;
  int64_t next = 0;
  Timestamp time = Timestamp::Zero() + kTransportReferenceUnit * feedback.reference_time();
  feedback.ForEach(
      [&](uint16_t sequence, TimeDelta delta) {
        SLUICE_CHECK(sequence == static_cast<uint16_t>(feedback.base_sequence() + next));
        time += delta;
        arrivals.push_back({next++, time});
      },
      [&](uint16_t first, uint16_t count) {
        SLUICE_CHECK(first == static_cast<uint16_t>(feedback.base_sequence() + next));
        SLUICE_CHECK(count > 0);
        next += count;
      });
  SLUICE_CHECK(next == static_cast<int64_t>(feedback.status_count()));
  return arrivals;
}

void Check(const TransportFeedbackView& feedback, size_t size) {
  const std::vector<TransportArrival> arrivals = ArrivalsOf(feedback);
  SLUICE_CHECK(arrivals.size() <= size);
  // Split into small ones, which say the same.
  constexpr size_t kRoom = 64;
  size_t done = 0;
  int64_t begin = 0;
  while (done < arrivals.size()) {
    Bytes buffer(kRoom);
    size_t written = 0;
    buffer.resize(WriteTransportFeedback({feedback.sender(), feedback.media(), 0}, begin,
                                         absl::MakeConstSpan(arrivals).subspan(done),
                                         absl::MakeSpan(buffer), written));
    if (written == 0) {
      // The gap is too wide.
      SLUICE_CHECK(begin < arrivals[done].sequence);
      begin = arrivals[done].sequence;
      continue;
    }
    const auto again = TransportFeedbackView::Parse(buffer);
    SLUICE_CHECK(again.has_value());
    const std::vector<TransportArrival> part = ArrivalsOf(*again);
    SLUICE_CHECK(part.size() == written);
    constexpr int64_t kWrap = int64_t{1} << 24;
    for (size_t i = 0; i < written; ++i) {
      const TransportArrival& want = arrivals[done + i];
      SLUICE_CHECK(begin + part[i].sequence == want.sequence);
      SLUICE_CHECK((want.arrived - part[i].arrived).us() % (kTransportReferenceUnit.us() * kWrap) ==
                   0);
    }
    begin = arrivals[done + written - 1].sequence + 1;
    done += written;
  }
}

void Check(const CcfbView& feedback, size_t size) {
  Bytes buffer(size);
  CcfbWriter writer(feedback.sender(), feedback.timestamp(), absl::MakeSpan(buffer));
  size_t streams = 0;
  feedback.ForEachStream([&](const CcfbStream& stream) {
    ++streams;
    std::vector<CcfbMetric> metrics;
    for (size_t i = 0; i < stream.metric_count(); ++i) {
      metrics.push_back(stream.metric(i));
    }
    SLUICE_CHECK(writer.AddStream(stream.ssrc(), stream.begin(), metrics) == metrics.size());
  });
  buffer.resize(writer.Finish());
  const auto again = CcfbView::Parse(buffer);
  SLUICE_CHECK(again.has_value());
  size_t streams_again = 0;
  SLUICE_CHECK(again->ForEachStream([&](const CcfbStream&) { ++streams_again; }));
  SLUICE_CHECK(streams_again == streams);
}

template <typename View>
void CheckAs(absl::Span<const uint8_t> packet) {
  const std::optional<View> view = View::Parse(packet);
  if (view.has_value()) {
    Check(*view, packet.size());
  }
}

void CheckDatagram(absl::Span<const uint8_t> bytes) {
  const std::optional<RtcpPacketView> datagram = RtcpPacketView::Parse(bytes);
  if (!datagram.has_value()) {
    return;
  }
  const RtcpReadCounts counts =
      ReadCompound(*datagram, [&](const auto& view) { Check(view, bytes.size()); });
  SLUICE_CHECK(4 * (counts.read + counts.skipped) <= bytes.size());
  const bool full = IsFullCompound(*datagram);

  // Put together again it is the same, and a full compound if it was one.
  Bytes buffer(bytes.size());
  CompoundBuilder builder(full ? RtcpMode::kCompound : RtcpMode::kReducedSize,
                          absl::MakeSpan(buffer));
  const bool complete =
      datagram->ForEachPacket([&](uint8_t type, uint8_t, absl::Span<const uint8_t> packet) {
        const AddRtcpVerdict verdict = builder.Add(packet);
        SLUICE_CHECK((verdict == AddRtcpVerdict::kOk) ==
                     (type >= kMinRtcpPacketType && type <= kMaxRtcpPacketType));
      });
  SLUICE_CHECK(!full || builder.Finish() != 0);
  SLUICE_CHECK(builder.size() <= bytes.size());
  SLUICE_CHECK(!complete || builder.size() != bytes.size() ||
               std::equal(buffer.begin(), buffer.end(), bytes.begin()));
}

}  // namespace
}  // namespace sluice

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::Span<const uint8_t> bytes(data, size);
  sluice::CheckDatagram(bytes);
  sluice::CheckAs<sluice::SenderReportView>(bytes);
  sluice::CheckAs<sluice::ReceiverReportView>(bytes);
  sluice::CheckAs<sluice::SdesView>(bytes);
  sluice::CheckAs<sluice::ByeView>(bytes);
  sluice::CheckAs<sluice::AppView>(bytes);
  sluice::CheckAs<sluice::XrView>(bytes);
  sluice::CheckAs<sluice::NackView>(bytes);
  sluice::CheckAs<sluice::PictureLoss>(bytes);
  sluice::CheckAs<sluice::FullIntraRequestView>(bytes);
  sluice::CheckAs<sluice::RembView>(bytes);
  sluice::CheckAs<sluice::TransportFeedbackView>(bytes);
  sluice::CheckAs<sluice::CcfbView>(bytes);
  return 0;
}
