#include "tools/ctl/demo/demo_participant.h"

#include <memory>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"
#include "proto/signalling/v1/signalling_service.pb.h"
#include "tools/ctl/testing/fake_quic_signalling.h"

namespace sluice {
namespace {

namespace v1 = ::sluice::signalling::v1;
using ::testing::ElementsAre;
using ::testing::StartsWith;

class DemoParticipantTest : public testing::Test {
 protected:
  std::unique_ptr<DemoParticipant> Create() {
    auto made = DemoParticipant::Create({.target = "quic://" + signalling_.target(),
                                         .token = "t",
                                         .insecure = true,
                                         .timeout = absl::Seconds(30)});
    EXPECT_TRUE(made.ok()) << made.status();
    return *std::move(made);
  }

  FakeQuicSignalling signalling_;
};

TEST_F(DemoParticipantTest, JoinsFollowsItsEventsAndLeaves) {
  v1::WatchEventsResponse started;
  started.mutable_event()->mutable_media_started();
  started.mutable_event()->mutable_time()->set_seconds(
      absl::ToUnixSeconds(absl::Now() + absl::Hours(1)));
  signalling_.Stream({v1::WatchEventsResponse(), started});
  const auto participant = Create();
  v1::JoinRequest request;
  v1::JoinResponse joined;
  EXPECT_TRUE(participant->Join(request, joined).ok());
  v1::LeaveResponse left;
  EXPECT_TRUE(participant->Leave(left).ok());
  // The stream of events was opened before, and answered by the same thread.
  EXPECT_THAT(signalling_.Requests(), ElementsAre("Join t: ", "WatchEvents t: ", "Leave t: "));
  const QuicStory story = participant->story();
  EXPECT_EQ(story.join.round_trips, 2u);
  EXPECT_EQ(story.connection.protocol, "sluice/1");
  EXPECT_EQ(story.connection.round_trips, 2u);
  ASSERT_TRUE(story.leave.has_value());
}

TEST_F(DemoParticipantTest, ARefusalIsNoStory) {
  google::rpc::Status refused;
  refused.set_code(16);
  refused.set_message("token: expired");
  signalling_.Fail(refused);
  const auto participant = Create();
  v1::JoinResponse joined;
  EXPECT_EQ(participant->Join(v1::JoinRequest(), joined).error_message(), "token: expired");
  EXPECT_EQ(participant->story().join.round_trips, 0u);
}

TEST_F(DemoParticipantTest, WrongOptionsAreSaid) {
  const auto made = DemoParticipant::Create({.target = "quic://nowhere"});
  EXPECT_THAT(made.status().message(), StartsWith("--quic: "));
}

}  // namespace
}  // namespace sluice
