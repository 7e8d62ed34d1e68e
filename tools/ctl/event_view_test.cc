#include "tools/ctl/event_view.h"

#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::sluice::gateway::v1::Event;

Event OnAlice() {
  Event event;
  event.set_sequence(17);
  event.mutable_time()->set_seconds(1'700'000'000);
  event.set_session_id("call-1");
  event.set_leg_id("alice");
  return event;
}

TEST(EventViewTest, OneLineEach) {
  Event event = OnAlice();
  event.mutable_media_started();
  EXPECT_EQ(RenderEvent(event), "17  2023-11-14T22:13:20Z  call-1  alice  media_started");
  event.mutable_leg_added()->set_kind(gateway::v1::LEG_KIND_SRTP);
  EXPECT_EQ(RenderEvent(event), "17  2023-11-14T22:13:20Z  call-1  alice  leg_added srtp");
  event.mutable_stream_added()->set_ssrc(0xbeef);
  EXPECT_EQ(RenderEvent(event), "17  2023-11-14T22:13:20Z  call-1  alice  stream_added 0x0000beef");
  auto* change = event.mutable_remote_address_changed();
  change->mutable_new_rtp()->set_ip("192.0.2.1");
  change->mutable_new_rtp()->set_port(6000);
  EXPECT_EQ(RenderEvent(event),
            "17  2023-11-14T22:13:20Z  call-1  alice  remote_address_changed - -> 192.0.2.1:6000");
}

TEST(EventViewTest, FeedbackTellsRateAndStream) {
  Event event = OnAlice();
  event.mutable_target_rate_changed()->set_target_bps(1'250'000);
  EXPECT_EQ(RenderEvent(event),
            "17  2023-11-14T22:13:20Z  call-1  alice  target_rate_changed 1.2 Mbit/s");
  event.mutable_key_frame_requested()->set_ssrc(0xbeef);
  EXPECT_EQ(RenderEvent(event),
            "17  2023-11-14T22:13:20Z  call-1  alice  key_frame_requested 0x0000beef");
}

TEST(EventViewTest, LimitsOfKeysTellWhoseAndWhich) {
  Event event = OnAlice();
  auto* reached = event.mutable_key_limit_reached();
  reached->set_direction(gateway::v1::DIRECTION_SENT);
  reached->set_limit(gateway::v1::KEY_LIMIT_SOFT);
  EXPECT_EQ(RenderEvent(event),
            "17  2023-11-14T22:13:20Z  call-1  alice  key_limit_reached out soft");
  reached->set_direction(gateway::v1::DIRECTION_RECEIVED);
  reached->set_limit(gateway::v1::KEY_LIMIT_HARD);
  EXPECT_EQ(RenderEvent(event),
            "17  2023-11-14T22:13:20Z  call-1  alice  key_limit_reached in hard");
  reached->set_limit(static_cast<gateway::v1::KeyLimit>(9));
  EXPECT_EQ(RenderEvent(event), "17  2023-11-14T22:13:20Z  call-1  alice  key_limit_reached in 9");
}

TEST(EventViewTest, EventsOfTheSessionHaveNoLeg) {
  Event event = OnAlice();
  event.clear_leg_id();
  event.mutable_session_ended()->set_reason(gateway::v1::END_REASON_OFFER_TIMEOUT);
  EXPECT_EQ(RenderEvent(event), "17  2023-11-14T22:13:20Z  call-1  -  session_ended offer_timeout");
}

TEST(EventViewTest, AnEventOfANewerGatewayIsALineToo) {
  EXPECT_EQ(RenderEvent(OnAlice()), "17  2023-11-14T22:13:20Z  call-1  alice  unknown");
}

}  // namespace
}  // namespace sluice
