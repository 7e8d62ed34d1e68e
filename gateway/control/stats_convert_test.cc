#include "gateway/control/stats_convert.h"

#include <string>

#include "absl/time/time.h"
#include "base/data_rate.h"
#include "base/time_delta.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/packet_verdict.h"
#include "gateway/session/session_spec.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/stats.pb.h"

namespace sluice {
namespace {

TEST(StatsConvertTest, ShowsEveryCounter) {
  SessionSnapshot snapshot;
  snapshot.id = "call-1";
  snapshot.state = SessionState::kActive;
  LegSnapshot leg;
  leg.id = "alice";
  leg.packets_received = 1;
  leg.bytes_received = 2;
  leg.packets_sent = 3;
  leg.bytes_sent = 4;
  leg.verdicts[static_cast<size_t>(PacketVerdict::kForwarded)] = 5;
  leg.verdicts[static_cast<size_t>(PacketVerdict::kAuthFailed)] = 6;
  leg.last_reject = PacketVerdict::kAuthFailed;
  StreamSnapshot received;
  received.ssrc = Ssrc(0xffffffff);
  received.packets = 7;
  received.payload_bytes = 8;
  received.packets_lost = -9;
  received.jitter = TimeDelta::Micros(10);
  received.extended_highest_sequence = 65536 + 11;
  received.payload_type = PayloadType(96);
  StreamSnapshot sent;
  sent.ssrc = Ssrc(1);
  sent.direction = StreamDirection::kSent;
  leg.streams = {received, sent};
  snapshot.legs = {leg};

  gateway::v1::SessionStats out;
  ToProto(snapshot, absl::FromUnixSeconds(1'700'000'000), out);
  gateway::v1::SessionStats expected;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      "session_id: 'call-1' state: SESSION_STATE_ACTIVE sample_time { seconds: 1700000000 } "
      "legs { leg_id: 'alice' packets_received: 1 bytes_received: 2 packets_sent: 3 bytes_sent: 4 "
      "verdicts { verdict: 'forwarded' packets: 5 } verdicts { verdict: 'auth_failed' packets: 6 } "
      "streams { ssrc: 4294967295 direction: DIRECTION_RECEIVED packets: 7 payload_bytes: 8 "
      "packets_lost: -9 jitter_us: 10 extended_highest_sequence: 65547 payload_type: 96 } "
      "streams { ssrc: 1 direction: DIRECTION_SENT } "
      "last_reject: 'auth_failed' }",
      &expected));
  EXPECT_EQ(out.DebugString(), expected.DebugString());
}

void ExpectStats(const LegSnapshot& leg, const std::string& text) {
  gateway::v1::LegStats out;
  ToProto(leg, out);
  gateway::v1::LegStats expected;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &expected)) << text;
  EXPECT_EQ(out.DebugString(), expected.DebugString());
}

TEST(StatsConvertTest, ShowsWhatIsFedBackAboutAStream) {
  LegSnapshot leg;
  leg.id = "alice";
  StreamSnapshot stream;
  stream.ssrc = Ssrc(1);
  stream.direction = StreamDirection::kSent;
  StreamFeedbackSnapshot feedback;
  feedback.retransmitted_packets = 2;
  feedback.retransmitted_bytes = 3;
  feedback.nacks = 4;
  feedback.picture_loss_indications = 5;
  feedback.full_intra_requests = 6;
  feedback.remote = RemoteReportSnapshot{
      .reports = 7,
      .fraction_lost = 0.25,
      .packets_lost = -8,
      .jitter = TimeDelta::Micros(9),
      .round_trip = {
          .last = TimeDelta::Micros(10), .total = TimeDelta::Micros(11), .measurements = 12}};
  feedback.mean_opinion_score = 4.25;
  stream.feedback = feedback;
  leg.streams = {stream};
  ExpectStats(
      leg,
      "leg_id: 'alice' streams { ssrc: 1 direction: DIRECTION_SENT retransmitted_packets: 2 "
      "retransmitted_bytes: 3 nacks: 4 picture_loss_indications: 5 full_intra_requests: 6 "
      "remote { reports: 7 fraction_lost: 0.25 packets_lost: -8 jitter_us: 9 "
      "round_trip { last_us: 10 total_us: 11 measurements: 12 } } "
      "mean_opinion_score: 4.25 }");
}

TEST(StatsConvertTest, WhatWasNotMeasuredYetIsAbsent) {
  LegSnapshot leg;
  leg.id = "alice";
  StreamSnapshot stream;
  stream.ssrc = Ssrc(1);
  stream.feedback = StreamFeedbackSnapshot{};
  stream.feedback->remote = RemoteReportSnapshot{.reports = 1};
  leg.streams = {stream};
  leg.bandwidth = BandwidthSnapshot{.target = DataRate::BitsPerSec(300'000)};
  ExpectStats(leg,
              "leg_id: 'alice' streams { ssrc: 1 direction: DIRECTION_RECEIVED "
              "remote { reports: 1 } } bandwidth { target_bps: 300000 }");
}

TEST(StatsConvertTest, ShowsWhatInterceptorsKnowOfALeg) {
  LegSnapshot leg;
  leg.id = "alice";
  leg.interceptor_counters = {{"nack_generator", "requests", 1}, {"pacer", "dropped", 2}};
  leg.bandwidth = BandwidthSnapshot{.target = DataRate::BitsPerSec(3),
                                    .delay_based = DataRate::BitsPerSec(4),
                                    .loss_based = DataRate::BitsPerSec(5),
                                    .delivered = DataRate::BitsPerSec(6),
                                    .application_limited = true};
  leg.round_trip =
      RoundTripSnapshot{TimeDelta::Micros(7), TimeDelta::Micros(8), /*measurements=*/9};
  ExpectStats(leg,
              "leg_id: 'alice' "
              "interceptor_counters { interceptor: 'nack_generator' name: 'requests' value: 1 } "
              "interceptor_counters { interceptor: 'pacer' name: 'dropped' value: 2 } "
              "bandwidth { target_bps: 3 delay_based_bps: 4 loss_based_bps: 5 delivered_bps: 6 "
              "application_limited: true } "
              "round_trip { last_us: 7 total_us: 8 measurements: 9 }");
}

TEST(StatsConvertTest, ALegWithoutPacketsHasNoVerdicts) {
  gateway::v1::LegStats out;
  LegSnapshot leg;
  leg.id = "alice";
  ToProto(leg, out);
  EXPECT_EQ(out.ShortDebugString(), "leg_id: \"alice\"");
}

}  // namespace
}  // namespace sluice
