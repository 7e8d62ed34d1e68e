// What a reporter makes of the reports that come.

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/interceptor_event.h"
#include "interceptor/report/ntp_time.h"
#include "interceptor/report/reporter.h"
#include "interceptor/report/testing/reporter_leg.h"
#include "interceptor/rtcp/xr.h"
#include "interceptor/testing/chain_harness.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Bytes = std::vector<uint8_t>;

TEST(ReporterRoundTripTest, ABlockMeasuresTheRoundTripAndTellsTheLoss) {
  ReporterLeg leg;
  leg.AddBoth();
  leg.Send(1);
  leg.Next();
  const uint32_t sent = leg.CompactNow();
  leg.now += TimeDelta::Millis(350);
  const RtcpReportBlock block = {
      .ssrc = kMedia, .fraction_lost = 64, .last_sr = sent, .delay_since_last_sr = 0x4000};
  const ChainOutput output =
      leg.ReceiveRtcp(RtcpPacketBuilder().AddReceiverReport(99, absl::MakeConstSpan(&block, 1)));
  ASSERT_THAT(output.EventsOf<RoundTripMeasured>(), SizeIs(1));
  EXPECT_EQ(output.EventsOf<RoundTripMeasured>()[0].round_trip, TimeDelta::Millis(100));
  ASSERT_THAT(output.EventsOf<LossReported>(), SizeIs(1));
  EXPECT_EQ(output.EventsOf<LossReported>()[0].ssrc, Ssrc(kMedia));
  EXPECT_EQ(output.EventsOf<LossReported>()[0].fraction_lost, 64);
  EXPECT_EQ(leg.reporter->counters().round_trips, 1u);
}

TEST(ReporterRoundTripTest, BlocksOfManySourcesMeasureOneRoundTripADatagram) {
  ReporterLeg leg;
  leg.AddBoth();
  leg.Send(1);
  leg.Next();
  const RtcpReportBlock block = {.ssrc = kMedia, .last_sr = leg.CompactNow()};
  const std::vector<RtcpReportBlock> blocks(31, block);
  leg.now += TimeDelta::Millis(50);
  EXPECT_THAT(leg.ReceiveRtcp(RtcpPacketBuilder().AddReceiverReport(99, blocks))
                  .EventsOf<RoundTripMeasured>(),
              SizeIs(1));
}

TEST(ReporterRoundTripTest, LossIsToldForTheStreamThatEachBlockIsAbout) {
  ReporterLeg leg;
  leg.AddBoth();
  leg.Add(PacketDirection::kOutgoing, 0xB0);
  // Audio and video in one report, in any order, from one of the peer's SSRCs.
  const std::vector<RtcpReportBlock> blocks = {{.ssrc = 0xB0, .fraction_lost = 7},
                                               {.ssrc = kMedia, .fraction_lost = 9}};
  const std::vector<LossReported> told =
      leg.ReceiveRtcp(RtcpPacketBuilder().AddReceiverReport(99, blocks)).EventsOf<LossReported>();
  ASSERT_THAT(told, SizeIs(2));
  EXPECT_EQ(told[0].ssrc, Ssrc(0xB0));
  EXPECT_EQ(told[0].fraction_lost, 7);
  EXPECT_EQ(told[1].ssrc, Ssrc(kMedia));
  EXPECT_EQ(told[1].fraction_lost, 9);
}

TEST(ReporterRoundTripTest, ABlockAboutAReportThatNeverLeftMeasuresNothing) {
  ReporterLeg leg;
  leg.AddBoth();
  leg.Send(1);
  leg.Next();
  const std::vector<RtcpReportBlock> blocks = {
      {.ssrc = kMedia, .last_sr = leg.CompactNow() + 1},
      {.ssrc = kMedia, .last_sr = leg.CompactNow(), .delay_since_last_sr = 0xFFFFFFFF},
      {.ssrc = kMedia},
      {.ssrc = 0xDEAD, .fraction_lost = 255, .last_sr = leg.CompactNow()}};
  const ChainOutput output = leg.ReceiveRtcp(RtcpPacketBuilder().AddReceiverReport(99, blocks));
  EXPECT_THAT(output.EventsOf<RoundTripMeasured>(), IsEmpty());
  EXPECT_THAT(output.EventsOf<LossReported>(), SizeIs(3));
  EXPECT_EQ(leg.reporter->counters().round_trips_refused, 2u);
  EXPECT_EQ(leg.reporter->counters().unknown_ssrc, 1u);
}

TEST(ReporterRoundTripTest, AReceiverAsksForItsRoundTripAndMeasuresTheAnswer) {
  ReporterLeg leg({.ask_reference_time = true});
  leg.Add(PacketDirection::kIncoming, kMedia);
  const ReadReports asked = leg.Next();
  ASSERT_THAT(asked.reference_times, SizeIs(1));
  EXPECT_EQ(asked.reference_times[0].ntp_time, NtpClock(kNtpOrigin).At(leg.now));
  const ReferenceTimeAnswer answer = {
      .ssrc = Ssrc(kReporter), .last_reference_time = leg.CompactNow(), .delay_since = 0x2000};
  Bytes bytes(64);
  XrWriter writer(Ssrc(99), absl::MakeSpan(bytes));
  writer.Add(absl::MakeConstSpan(&answer, 1));
  bytes.resize(writer.Finish());
  leg.now += TimeDelta::Millis(200);
  const ChainOutput output = leg.harness->IncomingRtcp(leg.now, {bytes});
  ASSERT_THAT(output.EventsOf<RoundTripMeasured>(), SizeIs(1));
  EXPECT_EQ(output.EventsOf<RoundTripMeasured>()[0].round_trip, TimeDelta::Millis(75));
}

TEST(ReporterRoundTripTest, WhoSendsDoesNotAsk) {
  ReporterLeg leg({.ask_reference_time = true});
  leg.AddBoth();
  leg.Send(1);
  EXPECT_THAT(leg.Next().reference_times, IsEmpty());
}

TEST(ReporterRoundTripTest, WhoAsksIsAnsweredOnce) {
  ReporterLeg leg;
  leg.AddBoth();
  Bytes bytes(64);
  XrWriter writer(Ssrc(99), absl::MakeSpan(bytes));
  writer.Add(ReceiverReferenceTime{.ntp_time = 0x1111'2222'3333'4444});
  bytes.resize(writer.Finish());
  leg.harness->IncomingRtcp(leg.now, {bytes});
  const Timestamp came = leg.now;
  const ReadReports reports = leg.Next();
  EXPECT_THAT(reports.answers,
              ElementsAre(ReferenceTimeAnswer{.ssrc = Ssrc(99),
                                              .last_reference_time = 0x2222'3333,
                                              .delay_since = ToCompactDelay(leg.now - came)}));
  EXPECT_THAT(leg.Next().answers, IsEmpty());
}

TEST(ReporterRoundTripTest, BytesFromThePeerThatAreNoReportsChangeNothing) {
  ReporterLeg leg;
  leg.AddBoth();
  leg.Send(1);
  leg.Receive(1);
  // An SR that counts 31 blocks and has none, and an XR whose block is longer than the packet.
  leg.ReceiveRtcp(RtcpPacketBuilder()
                      .AddRaw(31, 200, Bytes(24, 0))
                      .AddRaw(0, 207, {0, 0, 0, 1, 4, 0, 0xFF, 0xFF}));
  EXPECT_EQ(leg.reporter->counters().malformed, 2u);
  EXPECT_THAT(leg.Next().blocks, SizeIs(1));
}

}  // namespace
}  // namespace sluice
