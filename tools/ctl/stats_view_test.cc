#include "tools/ctl/stats_view.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::sluice::gateway::v1::LegStats;
using ::sluice::gateway::v1::SessionStats;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

void AddStream(LegStats& leg, gateway::v1::Direction direction, uint64_t packets, int64_t lost,
               uint64_t jitter_us) {
  auto* stream = leg.add_streams();
  stream->set_ssrc(0x1a2b);
  stream->set_direction(direction);
  stream->set_packets(packets);
  stream->set_packets_lost(lost);
  stream->set_jitter_us(jitter_us);
  stream->set_payload_type(111);
}

SessionStats Stats() {
  SessionStats stats;
  stats.set_session_id("call-1");
  stats.set_state(gateway::v1::SESSION_STATE_ACTIVE);
  stats.mutable_sample_time()->set_seconds(1'700'000'000);
  LegStats* alice = stats.add_legs();
  alice->set_leg_id("alice");
  alice->set_packets_received(502);
  alice->set_packets_sent(250);
  alice->set_last_reject("auth_failed");
  auto* verdict = alice->add_verdicts();
  verdict->set_verdict("forwarded");
  verdict->set_packets(500);
  verdict = alice->add_verdicts();
  verdict->set_verdict("auth_failed");
  verdict->set_packets(2);
  AddStream(*alice, gateway::v1::DIRECTION_RECEIVED, 300, 3, 250);
  AddStream(*alice, gateway::v1::DIRECTION_RECEIVED, 200, 0, 1'500);
  AddStream(*alice, gateway::v1::DIRECTION_SENT, 250, 0, 0);
  stats.add_legs()->set_leg_id("bob");
  return stats;
}

TEST(StatsViewTest, OneRowPerLegAndDirection) {
  LegRates rates;
  rates.packets_received_per_second = 50;
  rates.packets_sent_per_second = 25;
  rates.received = DataRate::BitsPerSec(47'320);
  rates.sent = DataRate::BitsPerSec(950);
  EXPECT_EQ(RenderStats(Stats(), {{"alice", rates}}, false),
            "session call-1  active  2023-11-14T22:13:20Z\n"
            "LEG    DIR  PACKETS  PKT/S         RATE  LOST  JITTER  STREAMS\n"
            "alice  in       502     50  47.3 kbit/s     3  1.5 ms        2\n"
            "       out      250     25    950 bit/s     -       -        1\n"
            "bob    in         0      -            -     -       -        0\n"
            "       out        0      -            -     -       -        0\n"
            "\n"
            "LEG    WHAT BECAME OF ITS PACKETS\n"
            "alice  forwarded 500, auth_failed 2; last reject: auth_failed\n"
            "bob    nothing yet\n");
}

TEST(StatsViewTest, StreamsOnRequest) {
  EXPECT_THAT(RenderStats(Stats(), {}, true),
              HasSubstr("alice  in   0x00001a2b  111      300              0     3  0.2 ms"));
}

TEST(StatsViewTest, SumsKeepDirectionsApart) {
  const SessionStats stats = Stats();
  const StreamSums in = SumStreams(stats.legs(0), gateway::v1::DIRECTION_RECEIVED);
  EXPECT_EQ(in.streams, 2u);
  EXPECT_EQ(in.packets, 500u);
  EXPECT_EQ(in.packets_lost, 3);
  EXPECT_EQ(in.jitter_us, 1'500u);
  EXPECT_EQ(SumStreams(stats.legs(0), gateway::v1::DIRECTION_SENT).packets, 250u);
}

TEST(StatsViewTest, WhatInterceptorsKnowComesBehindTheVerdicts) {
  SessionStats stats = Stats();
  stats.mutable_legs(0)->mutable_bandwidth()->set_target_bps(300'000);
  auto* counter = stats.mutable_legs(0)->add_interceptor_counters();
  counter->set_interceptor("pacer");
  counter->set_name("sent");
  counter->set_value(9);
  stats.mutable_legs(0)->mutable_streams(0)->set_nacks(3);
  EXPECT_THAT(RenderStats(stats, {}, false),
              AllOf(HasSubstr("300.0 kbit/s"), HasSubstr("alice  pacer        sent 9"),
                    Not(HasSubstr("NACKS"))));
  EXPECT_THAT(RenderStats(stats, {}, true), HasSubstr("NACKS"));
}

}  // namespace
}  // namespace sluice
