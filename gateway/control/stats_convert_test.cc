#include "gateway/control/stats_convert.h"

#include <string>

#include "absl/time/time.h"
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

TEST(StatsConvertTest, ALegWithoutPacketsHasNoVerdicts) {
  gateway::v1::LegStats out;
  LegSnapshot leg;
  leg.id = "alice";
  ToProto(leg, out);
  EXPECT_EQ(out.ShortDebugString(), "leg_id: \"alice\"");
}

}  // namespace
}  // namespace sluice
