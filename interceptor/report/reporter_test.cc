#include "interceptor/report/reporter.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/attributes_arena.h"
#include "interceptor/intercepted_packet.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/report/ntp_time.h"
#include "interceptor/report/testing/reporter_leg.h"
#include "interceptor/rtcp/compound.h"
#include "interceptor/stream_info.h"
#include "interceptor/testing/chain_harness.h"
#include "srtp/packet_arena.h"
#include "srtp/rtcp_packet_view.h"
#include "srtp/testing/packet_builder.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(ReporterTest, OptionsOutOfRangeAreRefusedWithASentence) {
  SeededRandom random(1);
  EXPECT_EQ(Reporter::Create({.max_streams = 0}, random).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Reporter::Create({.max_streams = 1025}, random).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(
      Reporter::Create({.schedule = {.minimum = TimeDelta::Zero()}}, random).status().message(),
      ::testing::HasSubstr("want at least 1 kbps and a time above 0"));
}

TEST(ReporterTest, NothingIsDueWithoutStreams) {
  ReporterLeg leg;
  EXPECT_EQ(leg.harness->chain().NextTimeout(), Timestamp::PlusInfinity());
  leg.AddBoth();
  EXPECT_TRUE(leg.harness->chain().NextTimeout().IsFinite());
  leg.harness->chain().RemoveStream(leg.now, PacketDirection::kIncoming, Ssrc(kMedia));
  leg.harness->chain().RemoveStream(leg.now, PacketDirection::kOutgoing, Ssrc(kMedia));
  EXPECT_EQ(leg.harness->chain().NextTimeout(), Timestamp::PlusInfinity());
}

TEST(ReporterTest, NoSenderReportBeforeTheFirstPacket) {
  ReporterLeg leg;
  leg.AddBoth();
  const ReadReports reports = leg.Next();
  EXPECT_THAT(reports.senders, IsEmpty());
  EXPECT_THAT(reports.receivers, ElementsAre(Ssrc(kReporter)));
  EXPECT_THAT(reports.blocks, IsEmpty());
}

TEST(ReporterTest, ASenderReportSaysWhatWasSentAndWhen) {
  ReporterLeg leg;
  leg.AddBoth();
  leg.Send(1, 5000);
  leg.Send(2, 5000);
  const Timestamp sent = leg.now;
  const ReadReports reports = leg.Next();
  ASSERT_THAT(reports.senders, SizeIs(1));
  const SenderInfo& info = reports.senders[0];
  EXPECT_EQ(info.ssrc, Ssrc(kMedia));
  EXPECT_EQ(info.ntp_time, NtpClock(kNtpOrigin).At(leg.now));
  EXPECT_EQ(info.rtp_timestamp.value(), 5000 + (leg.now - sent).us() * 9 / 100);
  EXPECT_EQ(info.packet_count, 2u);
  // Without padding.
  EXPECT_EQ(info.octet_count, 200u);
  EXPECT_THAT(reports.receivers, IsEmpty());
}

TEST(ReporterTest, OctetsAreOfMediaAndNotOfItsRepair) {
  ReporterLeg leg;
  leg.AddBoth();
  leg.Send(1);
  leg.Send(9, 0, kRtx);
  PacketArena packets(4);
  AttributesArena attributes(4);
  InterceptorOutbox out({}, packets, attributes);
  for (const PacketSource source : {PacketSource::kRetransmission,
                                    PacketSource::kForwardErrorCorrection, PacketSource::kProbe}) {
    PacketLoan loan =
        RtpPacketBuilder().WithSsrc(kMedia).WithSequence(7).WithPayloadSize(50).BuildInto(packets);
    InterceptedRtp row = *InterceptedRtp::Of(loan, source);
    row.stream = StreamSlot(0);
    leg.reporter->OnOutgoingRtp(leg.now, absl::MakeSpan(&row, 1), out);
  }
  const ReadReports reports = leg.Next();
  ASSERT_THAT(reports.senders, SizeIs(1));
  EXPECT_EQ(reports.senders[0].packet_count, 1u);
  EXPECT_EQ(reports.senders[0].octet_count, 100u);
}

TEST(ReporterTest, TheTimeOfAReportFollowsOnlyPacketsInOrderWithANewTimestamp) {
  ReporterLeg leg;
  leg.Add(PacketDirection::kOutgoing, kMedia);
  leg.Send(9, 3000);
  const Timestamp sent = leg.now;
  // The rest of the frame, one from before, a retransmission of its own SSRC: each a second later.
  leg.now += TimeDelta::Seconds(1);
  leg.Send(10, 3000);
  leg.now += TimeDelta::Seconds(1);
  leg.Send(8, 0);
  leg.Send(77, 999, kRtx);
  const ReadReports reports = leg.Next();
  ASSERT_THAT(reports.senders, SizeIs(1));
  EXPECT_EQ(reports.senders[0].rtp_timestamp.value(), 3000 + (leg.now - sent).us() * 9 / 100);
}

TEST(ReporterTest, WhoSendsNoMoreBecomesAReceiverAfterTwoReports) {
  ReporterLeg leg;
  leg.AddBoth();
  leg.Send(1);
  EXPECT_THAT(leg.Next().senders, SizeIs(1));
  EXPECT_THAT(leg.Next().senders, SizeIs(1));
  const ReadReports reports = leg.Next();
  EXPECT_THAT(reports.senders, IsEmpty());
  EXPECT_THAT(reports.receivers, ElementsAre(Ssrc(kReporter)));
  leg.Send(2);
  EXPECT_THAT(leg.Next().senders, SizeIs(1));
}

TEST(ReporterTest, ABlockSaysWhatCame) {
  ReporterLeg leg;
  leg.Add(PacketDirection::kIncoming, kMedia);
  leg.Receive(0xFFFE);
  leg.Receive(0x0001);
  const ReadReports reports = leg.Next();
  ASSERT_THAT(reports.blocks, SizeIs(1));
  const ReportBlock& block = reports.blocks[0];
  EXPECT_EQ(block.ssrc, Ssrc(kMedia));
  EXPECT_EQ(block.fraction_lost, 128);
  EXPECT_EQ(block.cumulative_lost, 2);
  EXPECT_EQ(block.extended_highest_sequence, 0x10001u);
  EXPECT_EQ(block.last_sender_report, 0u);
  EXPECT_EQ(block.delay_since_last_sender_report, 0u);
}

TEST(ReporterTest, ASourceThatSaidNothingSinceHasNoBlock) {
  ReporterLeg leg;
  leg.Add(PacketDirection::kIncoming, kMedia);
  leg.Receive(1);
  EXPECT_THAT(leg.Next().blocks, SizeIs(1));
  EXPECT_THAT(leg.Next().blocks, IsEmpty());
  leg.Receive(2);
  const ReadReports reports = leg.Next();
  ASSERT_THAT(reports.blocks, SizeIs(1));
  EXPECT_EQ(reports.blocks[0].fraction_lost, 0);
}

TEST(ReporterTest, DuplicatesMakeCumulativeLossNegativeOnTheWire) {
  ReporterLeg leg;
  leg.Add(PacketDirection::kIncoming, kMedia);
  leg.Receive(1);
  leg.Receive(1);
  leg.Receive(1);
  const ReadReports reports = leg.Next();
  ASSERT_THAT(reports.blocks, SizeIs(1));
  EXPECT_EQ(reports.blocks[0].cumulative_lost, -2);
  EXPECT_EQ(reports.blocks[0].fraction_lost, 0);
}

TEST(ReporterTest, RetransmissionsAreNoPacketsOfTheStream) {
  ReporterLeg leg;
  leg.Add(PacketDirection::kIncoming, kMedia);
  leg.Receive(1);
  leg.Receive(500, 0, kRtx);
  const ReadReports reports = leg.Next();
  ASSERT_THAT(reports.blocks, SizeIs(1));
  EXPECT_EQ(reports.blocks[0].extended_highest_sequence, 1u);
}

TEST(ReporterTest, JitterIsTakenFromTheArrivalThatIsKnownBest) {
  ReporterLeg leg;
  leg.Add(PacketDirection::kIncoming, kMedia);
  PacketArena packets(4);
  AttributesArena attributes(4);
  InterceptorOutbox out({}, packets, attributes);
  for (uint16_t i = 0; i < 2; ++i) {
    PacketLoan loan = RtpPacketBuilder()
                          .WithSsrc(kMedia)
                          .WithSequence(i)
                          .WithTimestamp(i * 900u)
                          .WithPayloadSize(50)
                          .BuildInto(packets);
    InterceptedRtp row = *InterceptedRtp::Of(loan);
    row.stream = StreamSlot(0);
    // The batch comes at one time; the packets came as far apart as they were sent, and 16 units.
    ASSERT_TRUE(row.attributes.Set(attributes, &PacketAttributes::arrival,
                                   leg.now + TimeDelta::Micros(i * 10'178)));
    leg.reporter->OnIncomingRtp(leg.now, absl::MakeSpan(&row, 1), out);
  }
  const ReadReports reports = leg.Next();
  ASSERT_THAT(reports.blocks, SizeIs(1));
  EXPECT_EQ(reports.blocks[0].jitter, 1u);
}

TEST(ReporterTest, JitterSurvivesTheWrapOfTimestamps) {
  ReporterLeg leg;
  leg.Add(PacketDirection::kIncoming, kMedia);
  uint32_t timestamp = 0xFFFFFFFF - 4500;
  for (uint16_t i = 0; i < 10; ++i, timestamp += 900, leg.now += TimeDelta::Millis(10)) {
    leg.Receive(i, timestamp);
  }
  const ReadReports reports = leg.Next();
  ASSERT_THAT(reports.blocks, SizeIs(1));
  EXPECT_EQ(reports.blocks[0].jitter, 0u);
}

TEST(ReporterTest, ASenderReportIsAnsweredWithItsTimeAndTheDelay) {
  ReporterLeg leg;
  leg.Add(PacketDirection::kIncoming, kMedia);
  leg.Receive(1);
  leg.ReceiveRtcp(RtcpPacketBuilder().AddSenderReport(kMedia, 0x1111'2222'3333'4444, 0, 1, 1));
  const Timestamp came = leg.now;
  const ReadReports reports = leg.Next();
  ASSERT_THAT(reports.blocks, SizeIs(1));
  EXPECT_EQ(reports.blocks[0].last_sender_report, 0x2222'3333u);
  EXPECT_EQ(reports.blocks[0].delay_since_last_sender_report, ToCompactDelay(leg.now - came));
  EXPECT_EQ(leg.reporter->counters().sender_reports_received, 1u);
}

TEST(ReporterTest, ReportsLeaveAsCompoundsWithTheCnameOfEachReporter) {
  ChainHarnessOptions options;
  options.chain.rtcp = {.mode = RtcpMode::kCompound, .ssrc = Ssrc(kReporter), .cname = "sluice"};
  ReporterLeg leg({}, options);
  leg.AddBoth();
  leg.Add(PacketDirection::kOutgoing, 0xB0);
  leg.Receive(1);
  EXPECT_THAT(leg.Next().cnames, ElementsAre(absl::StrCat(kReporter, " sluice")));
  leg.Send(1);
  leg.Send(1, 0, 0xB0);
  leg.Receive(2);
  leg.now = leg.harness->chain().NextTimeout() + TimeDelta::Seconds(30);
  const ChainOutput output = leg.harness->Timeout(leg.now);
  ASSERT_THAT(output.rtcp, SizeIs(1));
  EXPECT_TRUE(IsFullCompound(*RtcpPacketView::Parse(output.rtcp[0])));
  const ReadReports reports = ReadReportsOf(output);
  EXPECT_THAT(reports.senders, SizeIs(2));
  // Once, with the first.
  EXPECT_THAT(reports.blocks, SizeIs(1));
  EXPECT_THAT(reports.cnames, ElementsAre("160 sluice", "176 sluice"));
}

TEST(ReporterTest, MoreThanThirtyOneSourcesTakeMoreReports) {
  ReporterLeg leg({.max_streams = 80});
  for (uint32_t i = 0; i < 80; ++i) {
    leg.Add(PacketDirection::kIncoming, 1000 + i);
    leg.Receive(1, 0, 1000 + i);
  }
  const ReadReports reports = leg.Next();
  EXPECT_THAT(reports.blocks, SizeIs(80));
  EXPECT_THAT(reports.receivers, ElementsAre(Ssrc(kReporter), Ssrc(kReporter), Ssrc(kReporter)));
}

TEST(ReporterTest, WhatFindsNoRoomHasItsTurnNextTime) {
  ChainHarnessOptions options;
  options.outbox.rtcp_packets = 1;
  ReporterLeg leg({.max_streams = 80}, options);
  for (uint32_t i = 0; i < 80; ++i) {
    leg.Add(PacketDirection::kIncoming, 1000 + i);
  }
  std::vector<uint32_t> reported;
  for (uint16_t round = 0; round < 3; ++round) {
    for (uint32_t i = 0; i < 80; ++i) {
      leg.Receive(round, 0, 1000 + i);
    }
    for (const ReportBlock& block : leg.Next().blocks) {
      reported.push_back(block.ssrc.value());
    }
  }
  std::sort(reported.begin(), reported.end());
  reported.erase(std::unique(reported.begin(), reported.end()), reported.end());
  EXPECT_THAT(reported, SizeIs(80));
  EXPECT_EQ(leg.reporter->counters().reports_dropped, 3u);
}

TEST(ReporterTest, WhoSaidGoodbyeIsNotReportedUntilItComesBack) {
  ReporterLeg leg;
  leg.Add(PacketDirection::kIncoming, kMedia);
  leg.Receive(1);
  const uint32_t gone = kMedia;
  leg.ReceiveRtcp(RtcpPacketBuilder().AddGoodbye(absl::MakeConstSpan(&gone, 1)));
  EXPECT_THAT(leg.Next().blocks, IsEmpty());
  leg.Receive(2);
  EXPECT_THAT(leg.Next().blocks, SizeIs(1));
}

TEST(ReporterTest, ASlotThatIsUsedAgainBeginsWithNothing) {
  ReporterLeg leg;
  leg.AddBoth();
  leg.Receive(1);
  leg.Send(1);
  leg.harness->chain().RemoveStream(leg.now, PacketDirection::kIncoming, Ssrc(kMedia));
  leg.harness->chain().RemoveStream(leg.now, PacketDirection::kOutgoing, Ssrc(kMedia));
  leg.Add(PacketDirection::kIncoming, 0xC0);
  leg.Add(PacketDirection::kOutgoing, 0xC0);
  const ReadReports reports = leg.Next();
  EXPECT_THAT(reports.senders, IsEmpty());
  EXPECT_THAT(reports.blocks, IsEmpty());
}

TEST(ReporterTest, ReportsComeAboutEveryFiveSecondsAndNotInStep) {
  ReporterLeg leg;
  leg.AddBoth();
  leg.Next();
  TimeDelta shortest = TimeDelta::PlusInfinity(), longest = TimeDelta::Zero();
  for (int i = 0; i < 200; ++i) {
    const Timestamp before = leg.now;
    leg.Next();
    shortest = std::min(shortest, leg.now - before);
    longest = std::max(longest, leg.now - before);
  }
  // 5 s, by 1.21828, half as much to half as much again; reconsidered, so seldom short.
  EXPECT_GE(shortest, TimeDelta::Millis(2052));
  EXPECT_LE(longest, TimeDelta::Millis(6157));
  EXPECT_GE(longest - shortest, TimeDelta::Seconds(1));
}

TEST(ReporterTest, NothingIsAllocatedAfterTheStart) {
  SeededRandom random(1);
  const std::unique_ptr<Reporter> reporter =
      *Reporter::Create({.ssrc = Ssrc(kReporter), .ask_reference_time = true}, random);
  PacketArena packets(16);
  AttributesArena attributes(16);
  InterceptorOutbox out({}, packets, attributes);
  PacketLoan loan = RtpPacketBuilder().WithSsrc(kMedia).WithPayloadSize(100).BuildInto(packets);
  InterceptedRtp row = *InterceptedRtp::Of(loan);
  row.stream = StreamSlot(0);
  const RtcpReportBlock block = {.ssrc = kMedia, .last_sr = 1};
  PacketLoan rtcp = RtcpPacketBuilder()
                        .AddSenderReport(kMedia, 1, 1, 1, 1, absl::MakeConstSpan(&block, 1))
                        .BuildInto(packets);
  InterceptedRtcp rtcp_row = *InterceptedRtcp::Of(rtcp);
  const StreamInfo info = ReportedStream(kMedia);
  Timestamp now = Timestamp::Seconds(1);
  const uint64_t before = ThreadAllocations();
  for (const PacketDirection direction : {PacketDirection::kIncoming, PacketDirection::kOutgoing}) {
    reporter->OnStreamAdded(now, direction, StreamSlot(0), info);
  }
  for (int i = 0; i < 1000; ++i, now += TimeDelta::Millis(500)) {
    reporter->OnIncomingRtp(now, absl::MakeSpan(&row, 1), out);
    reporter->OnOutgoingRtp(now, absl::MakeSpan(&row, 1), out);
    reporter->OnIncomingRtcp(now, absl::MakeSpan(&rtcp_row, 1), out);
    reporter->OnTimeout(now, out);
    out.EndBatch();
  }
  EXPECT_EQ(ThreadAllocations() - before, 0u);
  EXPECT_GT(reporter->counters().sender_reports_sent, 50u);
}

}  // namespace
}  // namespace sluice
