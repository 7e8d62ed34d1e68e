#include "interceptor/stats/rtp_stream_stats.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "interceptor/attributes_arena.h"
#include "interceptor/chain.h"
#include "interceptor/intercepted_packet.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/report/ntp_time.h"
#include "interceptor/rtcp/fir.h"
#include "interceptor/rtcp/nack.h"
#include "interceptor/rtcp/pli.h"
#include "interceptor/rtcp/xr.h"
#include "interceptor/stats/rtp_stats.h"
#include "interceptor/stream_info.h"
#include "interceptor/testing/chain_harness.h"
#include "srtp/packet_arena.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr uint32_t kAudio = 0xA0;
constexpr uint32_t kVideo = 0xB0;
constexpr uint32_t kVideoRtx = 0xB1;
constexpr uint32_t kVideoFec = 0xB2;
constexpr uint64_t kNtp = 0x0000'1234'5678'0000;

StreamInfo Stream(uint32_t ssrc) {
  StreamInfo info;
  info.ssrc = Ssrc(ssrc);
  if (ssrc == kVideo) {
    info.retransmission_ssrc = Ssrc(kVideoRtx);
    info.repair_ssrc = Ssrc(kVideoFec);
  }
  EXPECT_TRUE(info.AddFormat(
      {.payload_type = PayloadType(96), .clock_rate = ssrc == kAudio ? 48000u : 90000u}));
  return info;
}

// Statistics in a chain with an audio and a video stream each way.
struct Leg {
  Leg() {
    auto made = RtpStreamStats::Create({});
    EXPECT_TRUE(made.ok()) << made.status();
    statistics = made->get();
    harness = std::make_unique<ChainHarness>(*std::move(made));
    for (const PacketDirection direction :
         {PacketDirection::kIncoming, PacketDirection::kOutgoing}) {
      for (const uint32_t ssrc : {kAudio, kVideo}) {
        EXPECT_EQ(harness->chain().AddStream(now, direction, Stream(ssrc)), AddStreamVerdict::kOk);
      }
    }
  }

  static RtpPacketBuilder Packet(uint32_t ssrc, uint16_t sequence) {
    return RtpPacketBuilder().WithSsrc(ssrc).WithSequence(sequence).WithPayloadSize(100);
  }
  void Receive(uint32_t ssrc, uint16_t sequence) {
    harness->IncomingRtp(now, {Packet(ssrc, sequence).Build()});
  }
  void Send(uint32_t ssrc, uint16_t sequence) {
    harness->OutgoingRtp(now, {Packet(ssrc, sequence).Build()});
  }
  void ReceiveRtcp(Bytes bytes) { harness->IncomingRtcp(now, {std::move(bytes)}); }
  void SendRtcp(Bytes bytes) { harness->OutgoingRtcp(now, {std::move(bytes)}); }

  InboundRtpStats In(uint32_t ssrc) const {
    const std::optional<InboundRtpStats> found = statistics->InboundSnapshot(Ssrc(ssrc));
    EXPECT_TRUE(found.has_value());
    return found.value_or(InboundRtpStats());
  }
  OutboundRtpStats Out(uint32_t ssrc) const {
    const std::optional<OutboundRtpStats> found = statistics->OutboundSnapshot(Ssrc(ssrc));
    EXPECT_TRUE(found.has_value());
    return found.value_or(OutboundRtpStats());
  }

  RtpStreamStats* statistics;
  std::unique_ptr<ChainHarness> harness;
  Timestamp now = Timestamp::Seconds(50);
};

// What one writer wrote.
template <typename Write>
Bytes Written(const Write& write) {
  Bytes bytes(1024);
  bytes.resize(write(absl::MakeSpan(bytes)));
  EXPECT_FALSE(bytes.empty());
  return bytes;
}

Bytes Fir(const std::vector<FullIntraTarget>& targets) {
  return Written(
      [&](absl::Span<uint8_t> room) { return WriteFullIntraRequest(Ssrc(9), targets, room); });
}

Bytes Pli(uint32_t ssrc) {
  return Written([&](absl::Span<uint8_t> room) {
    return WritePictureLoss({.sender = Ssrc(9), .media = Ssrc(ssrc)}, room);
  });
}

Bytes Nack(uint32_t ssrc) {
  return Written([&](absl::Span<uint8_t> room) {
    const SequenceNumber missing(5);
    size_t written = 0;
    return WriteNack(Ssrc(9), Ssrc(ssrc), absl::MakeConstSpan(&missing, 1), room, written);
  });
}

TEST(RtpStreamStatsTest, OptionsOutOfRangeAreRefused) {
  EXPECT_EQ(RtpStreamStats::Create({.max_streams = 0}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(RtpStreamStats::Create({.max_streams = 1025}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(RtpStreamStatsTest, UnknownStreamsHaveNoFigures) {
  Leg leg;
  EXPECT_EQ(leg.statistics->InboundSnapshot(Ssrc(1)), std::nullopt);
  EXPECT_EQ(leg.statistics->OutboundSnapshot(Ssrc(kVideoRtx)), std::nullopt);
  leg.harness->chain().RemoveStream(leg.now, PacketDirection::kIncoming, Ssrc(kAudio));
  EXPECT_EQ(leg.statistics->InboundSnapshot(Ssrc(kAudio)), std::nullopt);
  EXPECT_TRUE(leg.statistics->OutboundSnapshot(Ssrc(kAudio)).has_value());
}

TEST(RtpStreamStatsTest, MediaAndItsRepairAreCountedApartBothWays) {
  Leg leg;
  leg.harness->IncomingRtp(
      leg.now, {Leg::Packet(kVideo, 1).WithPadding(8).Build(), Leg::Packet(kVideoRtx, 1).Build(),
                Leg::Packet(kVideoRtx, 2).Build(), Leg::Packet(kVideoFec, 1).Build()});
  leg.harness->OutgoingRtp(leg.now, {Leg::Packet(kVideo, 1).Build(), Leg::Packet(kVideo, 2).Build(),
                                     Leg::Packet(kVideoRtx, 1).Build()});
  const RtpTrafficStats in = leg.In(kVideo).traffic;
  EXPECT_EQ(in.packets, 1u);
  EXPECT_EQ(in.payload_bytes, 100u);
  EXPECT_EQ(in.overhead_bytes, 12u + 8);
  EXPECT_EQ(in.retransmitted_packets, 2u);
  EXPECT_EQ(in.retransmitted_bytes, 200u);
  EXPECT_EQ(in.repair_packets, 1u);
  EXPECT_EQ(in.repair_bytes, 100u);
  EXPECT_EQ(in.last_packet, leg.now);
  const RtpTrafficStats out = leg.Out(kVideo).traffic;
  EXPECT_EQ(out.packets, 2u);
  EXPECT_EQ(out.payload_bytes, 200u);
  EXPECT_EQ(out.retransmitted_packets, 1u);
  EXPECT_EQ(leg.In(kAudio).traffic.packets, 0u);
  EXPECT_EQ(leg.In(kAudio).traffic.last_packet, Timestamp::MinusInfinity());
}

TEST(RtpStreamStatsTest, LossHasASign) {
  Leg leg;
  for (const uint16_t sequence : {1, 1, 1}) {
    leg.Receive(kAudio, sequence);
  }
  EXPECT_EQ(leg.In(kAudio).lost, -2);
  EXPECT_EQ(leg.In(kAudio).duplicates, 2u);
  for (const uint16_t sequence : {10, 9}) {
    leg.Receive(kAudio, sequence);
  }
  EXPECT_EQ(leg.In(kAudio).lost, 5);
  EXPECT_EQ(leg.In(kAudio).late, 1u);
}

TEST(RtpStreamStatsTest, RemoteLossHasASign) {
  Leg leg;
  const RtcpReportBlock block = {.ssrc = kAudio, .cumulative_lost = -3, .jitter = 480};
  leg.ReceiveRtcp(RtcpPacketBuilder().AddReceiverReport(9, absl::MakeConstSpan(&block, 1)).Build());
  const RemoteInboundRtpStats remote = leg.Out(kAudio).remote;
  EXPECT_EQ(remote.reports, 1u);
  EXPECT_EQ(remote.cumulative_lost, -3);
  EXPECT_EQ(remote.jitter_units, 480u);
  EXPECT_EQ(remote.jitter, TimeDelta::Millis(10));
  EXPECT_EQ(remote.last_report, leg.now);
}

TEST(RtpStreamStatsTest, BlocksOfOneReportGoToTheStreamsTheyAreAbout) {
  Leg leg;
  const std::vector<RtcpReportBlock> blocks = {{.ssrc = kVideo, .fraction_lost = 7},
                                               {.ssrc = 0xDEAD, .fraction_lost = 99},
                                               {.ssrc = kAudio, .fraction_lost = 3}};
  leg.ReceiveRtcp(RtcpPacketBuilder().AddSenderReport(kVideo, kNtp, 77, 5, 500, blocks).Build());
  EXPECT_EQ(leg.Out(kVideo).remote.fraction_lost, 7 / 256.0);
  EXPECT_EQ(leg.Out(kAudio).remote.fraction_lost, 3 / 256.0);
  EXPECT_EQ(leg.statistics->counters().unknown_ssrc, 1u);
  const RemoteOutboundRtpStats remote = leg.In(kVideo).remote;
  EXPECT_EQ(remote.reports, 1u);
  EXPECT_EQ(remote.packets, 5u);
  EXPECT_EQ(remote.payload_bytes, 500u);
  EXPECT_EQ(remote.rtp_timestamp, RtpTimestamp(77));
  EXPECT_EQ(remote.ntp_time, kNtp);
  EXPECT_EQ(leg.In(kAudio).remote.reports, 0u);
}

TEST(RtpStreamStatsTest, TheRoundTripIsMeasuredFromReportsThatReallyLeft) {
  Leg leg;
  leg.SendRtcp(RtcpPacketBuilder().AddSenderReport(kVideo, kNtp, 0, 1, 1).Build());
  EXPECT_EQ(leg.Out(kVideo).sender_reports, 1u);
  leg.now += TimeDelta::Millis(600);
  RtcpReportBlock block = {
      .ssrc = kVideo, .last_sr = CompactNtp(kNtp), .delay_since_last_sr = 0x8000};
  leg.ReceiveRtcp(RtcpPacketBuilder().AddReceiverReport(9, absl::MakeConstSpan(&block, 1)).Build());
  EXPECT_EQ(leg.Out(kVideo).remote.round_trip.last, TimeDelta::Millis(100));
  block.last_sr += 1;
  leg.ReceiveRtcp(RtcpPacketBuilder().AddReceiverReport(9, absl::MakeConstSpan(&block, 1)).Build());
  EXPECT_EQ(leg.Out(kVideo).remote.round_trip.measurements, 1u);
  EXPECT_EQ(leg.Out(kVideo).remote.round_trip.total, TimeDelta::Millis(100));
  EXPECT_EQ(leg.statistics->round_trip().measurements, 1u);
  EXPECT_EQ(leg.statistics->counters().round_trips_refused, 1u);
}

TEST(RtpStreamStatsTest, AllBlocksOfAnExtendedReportAreRead) {
  Leg leg;
  leg.SendRtcp(Written([](absl::Span<uint8_t> room) {
    XrWriter writer(Ssrc(7), room);
    writer.Add(ReceiverReferenceTime{.ntp_time = kNtp});
    return writer.Finish();
  }));
  leg.now += TimeDelta::Millis(80);
  const ReferenceTimeAnswer answer = {.ssrc = Ssrc(7), .last_reference_time = CompactNtp(kNtp)};
  Bytes report = Written([&](absl::Span<uint8_t> room) {
    XrWriter writer(Ssrc(kVideo), room);
    writer.Add(ReceiverReferenceTime{.ntp_time = 1});
    writer.Add(VoipMetrics{.ssrc = Ssrc(kVideo), .loss_rate = 11});
    writer.Add(VoipMetrics{.ssrc = Ssrc(kAudio), .loss_rate = 22});
    writer.Add(absl::MakeConstSpan(&answer, 1));
    return writer.Finish();
  });
  // And one of a type that nobody knows, in front of all.
  const Bytes unknown = {99, 0, 0, 1, 1, 2, 3, 4};
  report.insert(report.begin() + 8, unknown.begin(), unknown.end());
  StoreBe16(report.data() + 2, static_cast<uint16_t>(report.size() / 4 - 1));
  leg.ReceiveRtcp(report);
  ASSERT_TRUE(leg.Out(kVideo).remote.voip.has_value());
  EXPECT_EQ(leg.Out(kVideo).remote.voip->loss_rate, 11);
  ASSERT_TRUE(leg.Out(kAudio).remote.voip.has_value());
  EXPECT_EQ(leg.Out(kAudio).remote.voip->loss_rate, 22);
  EXPECT_EQ(leg.statistics->round_trip().last, TimeDelta::Millis(80));
  EXPECT_EQ(leg.In(kVideo).remote.round_trip.last, TimeDelta::Millis(80));
  EXPECT_EQ(leg.statistics->counters().malformed, 0u);
}

TEST(RtpStreamStatsTest, FullIntraRequestsCountForTheirTargets) {
  Leg leg;
  leg.ReceiveRtcp(Fir({{.ssrc = Ssrc(kVideo), .sequence = 1},
                       {.ssrc = Ssrc(0xDEAD), .sequence = 1},
                       {.ssrc = Ssrc(kAudio), .sequence = 1}}));
  EXPECT_EQ(leg.Out(kVideo).feedback_received.full_intra_requests, 1u);
  EXPECT_EQ(leg.Out(kAudio).feedback_received.full_intra_requests, 1u);
  EXPECT_EQ(leg.In(kVideo).feedback_sent.full_intra_requests, 0u);
  leg.SendRtcp(Fir({{.ssrc = Ssrc(kVideo), .sequence = 1}}));
  EXPECT_EQ(leg.In(kVideo).feedback_sent.full_intra_requests, 1u);
}

TEST(RtpStreamStatsTest, FeedbackIsCountedWhereItGoes) {
  Leg leg;
  leg.ReceiveRtcp(Nack(kVideo));
  leg.ReceiveRtcp(Nack(kVideo));
  leg.ReceiveRtcp(Pli(kVideo));
  leg.SendRtcp(Nack(kAudio));
  leg.SendRtcp(Pli(kVideo));
  EXPECT_EQ(leg.Out(kVideo).feedback_received.nacks, 2u);
  EXPECT_EQ(leg.Out(kVideo).feedback_received.picture_losses, 1u);
  EXPECT_EQ(leg.In(kVideo).feedback_sent.nacks, 0u);
  EXPECT_EQ(leg.In(kAudio).feedback_sent.nacks, 1u);
  EXPECT_EQ(leg.In(kVideo).feedback_sent.picture_losses, 1u);
}

TEST(RtpStreamStatsTest, OpinionsFollowLossOfTheLastSecondsAndNotOfTheWholeCall) {
  Leg leg;
  EXPECT_EQ(leg.In(kAudio).mean_opinion_score, 0);
  uint16_t sequence = 0;
  uint32_t timestamp = 0;
  // Ten seconds each: all packets, then every second one, then all again.
  double scores[3];
  for (int phase = 0; phase < 3; ++phase) {
    for (int i = 0; i < 500; ++i) {
      leg.now += TimeDelta::Millis(20);
      timestamp += 960;
      ++sequence;
      if (phase != 1 || i % 2 == 0) {
        leg.harness->IncomingRtp(leg.now,
                                 {Leg::Packet(kAudio, sequence).WithTimestamp(timestamp).Build()});
      }
    }
    scores[phase] = leg.In(kAudio).mean_opinion_score;
  }
  EXPECT_NEAR(scores[0], 4.41, 0.01);
  EXPECT_LT(scores[1], 2);
  // The last windows begin up to five seconds after the loss ended.
  EXPECT_NEAR(scores[2], 4.41, 0.01);
  EXPECT_EQ(leg.In(kAudio).jitter, TimeDelta::Zero());
  EXPECT_GT(leg.In(kAudio).lost, 200);
}

TEST(RtpStreamStatsTest, ThePeersOpinionFollowsItsReports) {
  Leg leg;
  EXPECT_EQ(leg.Out(kAudio).remote.mean_opinion_score, 0);
  RtcpReportBlock block = {.ssrc = kAudio};
  leg.ReceiveRtcp(RtcpPacketBuilder().AddReceiverReport(9, absl::MakeConstSpan(&block, 1)).Build());
  EXPECT_NEAR(leg.Out(kAudio).remote.mean_opinion_score, 4.41, 0.01);
  block.fraction_lost = 51;
  leg.ReceiveRtcp(RtcpPacketBuilder().AddReceiverReport(9, absl::MakeConstSpan(&block, 1)).Build());
  EXPECT_LT(leg.Out(kAudio).remote.mean_opinion_score, 3);
}

TEST(RtpStreamStatsTest, ASlotThatIsUsedAgainBeginsWithNothing) {
  Leg leg;
  leg.Receive(kAudio, 1);
  leg.harness->chain().RemoveStream(leg.now, PacketDirection::kIncoming, Ssrc(kAudio));
  EXPECT_EQ(leg.harness->chain().AddStream(leg.now, PacketDirection::kIncoming, Stream(0xC0)),
            AddStreamVerdict::kOk);
  EXPECT_EQ(leg.In(0xC0).traffic.packets, 0u);
}

TEST(RtpStreamStatsTest, BrokenRtcpIsCountedAndWhatIsAroundItIsRead) {
  Leg leg;
  const RtcpReportBlock block = {.ssrc = kAudio, .fraction_lost = 5};
  leg.ReceiveRtcp(RtcpPacketBuilder()
                      .AddRaw(31, 201, Bytes(4, 0))
                      .AddReceiverReport(9, absl::MakeConstSpan(&block, 1))
                      .Build());
  EXPECT_EQ(leg.statistics->counters().malformed, 1u);
  EXPECT_EQ(leg.Out(kAudio).remote.fraction_lost, 5 / 256.0);
}

TEST(RtpStreamStatsTest, JitterSurvivesTheWrapOfTimestamps) {
  Leg leg;
  uint32_t timestamp = 0xFFFFFFFF - 4800;
  for (uint16_t i = 0; i < 10; ++i, timestamp += 960, leg.now += TimeDelta::Millis(20)) {
    leg.harness->IncomingRtp(leg.now, {Leg::Packet(kAudio, i).WithTimestamp(timestamp).Build()});
  }
  EXPECT_EQ(leg.In(kAudio).jitter_units, 0u);
  // One comes 10 ms late: 480 units, of which a sixteenth counts.
  leg.now += TimeDelta::Millis(10);
  leg.harness->IncomingRtp(leg.now, {Leg::Packet(kAudio, 10).WithTimestamp(timestamp).Build()});
  EXPECT_EQ(leg.In(kAudio).jitter_units, 30u);
  EXPECT_EQ(leg.In(kAudio).jitter, TimeDelta::Micros(625));
}

TEST(RtpStreamStatsTest, PacketsOfPaddingAreExpectedAndReceived) {
  Leg leg;
  leg.Receive(kVideo, 1);
  leg.harness->IncomingRtp(
      leg.now, {RtpPacketBuilder().WithSsrc(kVideo).WithSequence(2).WithPadding(200).Build()});
  leg.Receive(kVideo, 3);
  EXPECT_EQ(leg.In(kVideo).lost, 0);
  EXPECT_EQ(leg.In(kVideo).traffic.packets, 3u);
  EXPECT_EQ(leg.In(kVideo).traffic.payload_bytes, 200u);
}

TEST(RtpStreamStatsTest, RepeatedUnderTheMediaSsrcIsRetransmittedToo) {
  Leg leg;
  PacketArena packets(4);
  AttributesArena attributes(4);
  InterceptorOutbox out({}, packets, attributes);
  for (const PacketSource source : {PacketSource::kForwarded, PacketSource::kRetransmission}) {
    PacketLoan loan = Leg::Packet(kVideo, 1).BuildInto(packets);
    InterceptedRtp row = *InterceptedRtp::Of(loan, source);
    row.stream = StreamSlot(1);
    leg.statistics->OnOutgoingRtp(leg.now, absl::MakeSpan(&row, 1), out);
  }
  EXPECT_EQ(leg.Out(kVideo).traffic.packets, 1u);
  EXPECT_EQ(leg.Out(kVideo).traffic.retransmitted_packets, 1u);
  EXPECT_EQ(leg.Out(kVideo).traffic.retransmitted_bytes, 100u);
}

TEST(RtpStreamStatsTest, AStreamIsFoundByItsPlaceAsByItsSsrc) {
  Leg leg;
  leg.Receive(kVideo, 1);
  leg.Send(kVideo, 1);
  size_t inbound = 0, outbound = 0;
  for (size_t i = 0; i < leg.statistics->max_streams(); ++i) {
    const StreamSlot slot(static_cast<uint16_t>(i));
    inbound += leg.statistics->InboundSnapshot(slot).has_value() ? 1 : 0;
    outbound += leg.statistics->OutboundSnapshot(slot).has_value() ? 1 : 0;
  }
  EXPECT_EQ(inbound, 2u);
  EXPECT_EQ(outbound, 2u);
  ASSERT_TRUE(leg.statistics->InboundSnapshot(StreamSlot(1)).has_value());
  EXPECT_EQ(leg.statistics->InboundSnapshot(StreamSlot(1))->ssrc, Ssrc(kVideo));
  EXPECT_EQ(leg.statistics->InboundSnapshot(StreamSlot(1))->traffic.packets, 1u);
  ASSERT_TRUE(leg.statistics->OutboundSnapshot(StreamSlot(1)).has_value());
  EXPECT_EQ(leg.statistics->OutboundSnapshot(StreamSlot(1))->ssrc, Ssrc(kVideo));
  EXPECT_FALSE(leg.statistics->InboundSnapshot(kNoStream).has_value());
  EXPECT_FALSE(leg.statistics->OutboundSnapshot(kNoStream).has_value());
  // The SSRC for retransmissions names no stream.
  EXPECT_FALSE(leg.statistics->InboundSnapshot(Ssrc(kVideoRtx)).has_value());
  leg.harness->chain().RemoveStream(leg.now, PacketDirection::kIncoming, Ssrc(kVideo));
  EXPECT_FALSE(leg.statistics->InboundSnapshot(StreamSlot(1)).has_value());
  EXPECT_TRUE(leg.statistics->OutboundSnapshot(StreamSlot(1)).has_value());
}

// Any packets in any order, against sums.
TEST(RtpStreamStatsTest, CountsLikeSums) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(3611);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  Leg leg;
  RtpTrafficStats in, out;
  for (int i = 0; i < 3000; ++i) {
    leg.now += TimeDelta::Millis(static_cast<int64_t>(random.Below(30)));
    const bool incoming = random.Below(2) == 0;
    const uint64_t which = random.Below(3);
    const size_t payload = random.Below(200);
    const auto padding = static_cast<uint8_t>(random.Below(20));
    const std::vector<Bytes> batch = {RtpPacketBuilder()
                                          .WithSsrc(which == 0   ? kVideo
                                                    : which == 1 ? kVideoRtx
                                                                 : kVideoFec)
                                          .WithSequence(static_cast<uint16_t>(random.NextU32()))
                                          .WithPayloadSize(payload)
                                          .WithPadding(padding)
                                          .Build()};
    RtpTrafficStats& sum = incoming ? in : out;
    if (incoming) {
      leg.harness->IncomingRtp(leg.now, batch);
    } else {
      leg.harness->OutgoingRtp(leg.now, batch);
    }
    (which == 0 ? sum.packets : which == 1 ? sum.retransmitted_packets : sum.repair_packets) += 1;
    (which == 0   ? sum.payload_bytes
     : which == 1 ? sum.retransmitted_bytes
                  : sum.repair_bytes) += payload;
    sum.overhead_bytes += which == 0 ? 12u + padding : 0;
  }
  for (const auto& [sum, counted] :
       {std::pair(in, leg.In(kVideo).traffic), std::pair(out, leg.Out(kVideo).traffic)}) {
    EXPECT_EQ(counted.packets, sum.packets);
    EXPECT_EQ(counted.payload_bytes, sum.payload_bytes);
    EXPECT_EQ(counted.overhead_bytes, sum.overhead_bytes);
    EXPECT_EQ(counted.retransmitted_packets, sum.retransmitted_packets);
    EXPECT_EQ(counted.retransmitted_bytes, sum.retransmitted_bytes);
    EXPECT_EQ(counted.repair_packets, sum.repair_packets);
    EXPECT_EQ(counted.repair_bytes, sum.repair_bytes);
  }
}

TEST(RtpStreamStatsTest, NothingIsAllocatedAfterTheStart) {
  const std::unique_ptr<RtpStreamStats> statistics = *RtpStreamStats::Create({});
  PacketArena packets(8);
  AttributesArena attributes(8);
  InterceptorOutbox out({}, packets, attributes);
  PacketLoan loan = RtpPacketBuilder().WithSsrc(kVideo).WithPayloadSize(100).BuildInto(packets);
  InterceptedRtp row = *InterceptedRtp::Of(loan);
  row.stream = StreamSlot(0);
  const RtcpReportBlock block = {.ssrc = kVideo, .last_sr = 1};
  PacketLoan rtcp = RtcpPacketBuilder()
                        .AddSenderReport(kVideo, kNtp, 1, 1, 1, absl::MakeConstSpan(&block, 1))
                        .BuildInto(packets);
  InterceptedRtcp rtcp_row = *InterceptedRtcp::Of(rtcp);
  const StreamInfo info = Stream(kVideo);
  const uint64_t before = ThreadAllocations();
  for (const PacketDirection direction : {PacketDirection::kIncoming, PacketDirection::kOutgoing}) {
    statistics->OnStreamAdded(Timestamp::Zero(), direction, StreamSlot(0), info);
  }
  for (int i = 0; i < 1000; ++i) {
    const Timestamp now = Timestamp::Millis(20 * i);
    statistics->OnIncomingRtp(now, absl::MakeSpan(&row, 1), out);
    statistics->OnOutgoingRtp(now, absl::MakeSpan(&row, 1), out);
    statistics->OnIncomingRtcp(now, absl::MakeSpan(&rtcp_row, 1), out);
    statistics->OnOutgoingRtcp(now, absl::MakeSpan(&rtcp_row, 1), out);
  }
  EXPECT_GT(statistics->InboundSnapshot(Ssrc(kVideo))->mean_opinion_score, 0);
  EXPECT_GT(statistics->OutboundSnapshot(StreamSlot(0))->remote.mean_opinion_score, 0);
  EXPECT_EQ(ThreadAllocations() - before, 0u);
}

}  // namespace
}  // namespace sluice
