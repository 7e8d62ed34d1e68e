#include "gateway/control/event_convert.h"

#include <string>

#include "base/data_rate.h"
#include "gateway/leg/key_limit.h"
#include "gateway/leg/leg_snapshot.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/net/transport_address.h"
#include "gateway/session/inline_id.h"
#include "gateway/session/session_event.h"
#include "gateway/session/session_spec.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/events.pb.h"

namespace sluice {
namespace {

void ExpectEvent(const gateway::v1::Event& event, const std::string& text) {
  gateway::v1::Event expected;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &expected)) << text;
  EXPECT_EQ(event.DebugString(), expected.DebugString());
}

SessionEvent Media(SessionEventKind kind) {
  SessionEvent event;
  event.kind = kind;
  event.session_id = InlineId("call-1");
  event.leg_id = InlineId("alice");
  event.new_rtp = {IpAddress::V4({192, 0, 2, 1}), 5004};
  event.ssrc = Ssrc(4294967295);
  return event;
}

TEST(EventConvertTest, WhatPacketsCaused) {
  ExpectEvent(ToEvent(Media(SessionEventKind::kMediaStarted)),
              "session_id: 'call-1' leg_id: 'alice' media_started {}");
  ExpectEvent(ToEvent(Media(SessionEventKind::kStreamAdded)),
              "session_id: 'call-1' leg_id: 'alice' stream_added { ssrc: 4294967295 }");
  SessionEvent moved = Media(SessionEventKind::kRemoteAddressChanged);
  ExpectEvent(ToEvent(moved),
              "session_id: 'call-1' leg_id: 'alice' "
              "remote_address_changed { new_rtp { ip: '192.0.2.1' port: 5004 } }");
  moved.old_rtp = TransportAddress{IpAddress::V4({192, 0, 2, 2}), 5006};
  ExpectEvent(ToEvent(moved),
              "session_id: 'call-1' leg_id: 'alice' "
              "remote_address_changed { old_rtp { ip: '192.0.2.2' port: 5006 } "
              "new_rtp { ip: '192.0.2.1' port: 5004 } }");
}

TEST(EventConvertTest, LimitsOfKeys) {
  SessionEvent event = Media(SessionEventKind::kKeyLimitReached);
  ExpectEvent(ToEvent(event),
              "session_id: 'call-1' leg_id: 'alice' "
              "key_limit_reached { direction: DIRECTION_RECEIVED limit: KEY_LIMIT_SOFT }");
  event.direction = StreamDirection::kSent;
  event.limit = KeyLimit::kHard;
  ExpectEvent(ToEvent(event),
              "session_id: 'call-1' leg_id: 'alice' "
              "key_limit_reached { direction: DIRECTION_SENT limit: KEY_LIMIT_HARD }");
}

TEST(EventConvertTest, WhatFeedbackCaused) {
  SessionEvent event = Media(SessionEventKind::kTargetRateChanged);
  event.target = DataRate::BitsPerSec(5'000'000'000);
  ExpectEvent(
      ToEvent(event),
      "session_id: 'call-1' leg_id: 'alice' target_rate_changed { target_bps: 5000000000 }");
  ExpectEvent(ToEvent(Media(SessionEventKind::kKeyFrameRequested)),
              "session_id: 'call-1' leg_id: 'alice' key_frame_requested { ssrc: 4294967295 }");
}

TEST(EventConvertTest, WhatCallsCaused) {
  ExpectEvent(SessionCreatedEvent("call-1"), "session_id: 'call-1' session_created {}");
  ExpectEvent(SessionEndedEvent("call-1", EndReason::kHoldTimeout),
              "session_id: 'call-1' session_ended { reason: END_REASON_HOLD_TIMEOUT }");
  ExpectEvent(LegAddedEvent("call-1", "alice", LegKind::kSrtp),
              "session_id: 'call-1' leg_id: 'alice' leg_added { kind: LEG_KIND_SRTP }");
  ExpectEvent(LegUpdatedEvent("call-1", "alice"),
              "session_id: 'call-1' leg_id: 'alice' leg_updated {}");
  ExpectEvent(LegRemovedEvent("call-1", "alice"),
              "session_id: 'call-1' leg_id: 'alice' leg_removed {}");
}

}  // namespace
}  // namespace sluice
