#include "tools/ctl/demo/quic_story.h"

#include "absl/time/time.h"
#include "base/time_delta.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

QuicStory Joined() {
  return {.connection = {.protocol = "sluice/1", .quic_version = 1},
          .join = {.elapsed = TimeDelta::Micros(3'440), .round_trips = 2}};
}

TEST(QuicStoryTest, ASentenceTellsOfItAll) {
  QuicStory story = Joined();
  EXPECT_EQ(RenderQuicStory("alice", story),
            "alice joined over QUIC (sluice/1, TLS 1.3, v1): 2 round trips, 3.4 ms");
  story.connection.retries = 1;
  story.join.round_trips = 3;
  story.first_packet = absl::Milliseconds(112);
  story.leave = WaitingTime{.elapsed = TimeDelta::Micros(410), .round_trips = 1};
  EXPECT_EQ(
      RenderQuicStory("alice", story),
      "alice joined over QUIC (sluice/1, TLS 1.3, v1): 3 round trips, 3.4 ms, one of them for "
      "a Retry; first packet 112 ms after the answer; leave 1 round trip, 0.4 ms");
}

TEST(QuicStoryTest, ScriptsGetNumbers) {
  QuicStory story = Joined();
  EXPECT_EQ(QuicStoryToJson(story).fields().count("leaveMs"), 0u);
  story.first_packet = absl::Milliseconds(112);
  story.leave = WaitingTime{.elapsed = TimeDelta::Micros(500), .round_trips = 1};
  const auto json = QuicStoryToJson(story);
  EXPECT_EQ(json.fields().at("protocol").string_value(), "sluice/1");
  EXPECT_EQ(json.fields().at("quicVersion").number_value(), 1);
  EXPECT_EQ(json.fields().at("retries").number_value(), 0);
  EXPECT_EQ(json.fields().at("joinRoundTrips").number_value(), 2);
  EXPECT_EQ(json.fields().at("joinMs").number_value(), 3.44);
  EXPECT_EQ(json.fields().at("leaveRoundTrips").number_value(), 1);
  EXPECT_EQ(json.fields().at("leaveMs").number_value(), 0.5);
  EXPECT_EQ(json.fields().at("firstPacketMs").number_value(), 112);
}

}  // namespace
}  // namespace sluice
