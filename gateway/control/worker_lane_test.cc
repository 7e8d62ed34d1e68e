#include "gateway/control/worker_lane.h"

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/time_delta.h"
#include "gateway/control/control_room.h"
#include "gateway/control/session_directory.h"
#include "gateway/control/testing/control_harness.h"
#include "gateway/errors/error_detail.h"
#include "gateway/io/testing/udp_peer.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/net/transport_address.h"
#include "gateway/session/session_spec.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;

SessionSpec Session(const std::string& id) {
  SessionSpec spec;
  spec.id = id;
  return spec;
}

// Ends by itself after a few milliseconds.
SessionSpec ShortSession(const std::string& id) {
  SessionSpec spec = Session(id);
  spec.timeouts.offer = TimeDelta::Millis(5);
  return spec;
}

absl::Status SameConfig(const SessionSnapshot&) { return absl::OkStatus(); }

class WorkerLaneTest : public ::testing::Test {
 protected:
  // Calls go through the room's lane of the session.
  absl::StatusOr<SessionSnapshot> Create(const SessionSpec& spec) {
    absl::StatusOr<SessionSnapshot> session;
    absl::Status status = harness_.room().OnLaneForNew(spec.id, [&](WorkerLane& lane) {
      session = lane.CreateSession(spec, SameConfig);
      return session.status();
    });
    return status.ok() ? session : absl::StatusOr<SessionSnapshot>(status);
  }
  absl::StatusOr<SessionPlace> Delete(const std::string& id) {
    absl::StatusOr<SessionPlace> place;
    absl::Status status = harness_.room().OnLane(id, [&](WorkerLane& lane) {
      place = lane.DeleteSession(id);
      return place.status();
    });
    return status.ok() ? place : absl::StatusOr<SessionPlace>(status);
  }
  absl::StatusOr<LegSnapshot> AddLeg(const std::string& session, const std::string& id,
                                     const UdpPeer& peer) {
    absl::StatusOr<LegSnapshot> leg;
    absl::Status status = harness_.room().OnLane(session, [&](WorkerLane& lane) {
      LegSpec spec;
      spec.id = id;
      spec.rtcp_mux = true;
      spec.remote = RemoteTransport{peer.address(), peer.address(), std::nullopt, std::nullopt};
      leg = lane.AddLeg(session, std::move(spec), IpFamily::kIpv4);
      return leg.status();
    });
    return status.ok() ? leg : absl::StatusOr<LegSnapshot>(status);
  }

  ControlHarness harness_;
};

TEST_F(WorkerLaneTest, EventsAreInTheOrderOfTheirCauses) {
  UdpPeer alice(IpFamily::kIpv4);
  UdpPeer bob(IpFamily::kIpv4);
  ASSERT_TRUE(Create(Session("call")).ok());
  const absl::StatusOr<LegSnapshot> a = AddLeg("call", "alice", alice);
  ASSERT_TRUE(a.ok());
  ASSERT_TRUE(AddLeg("call", "bob", bob).ok());
  alice.Send(a->local.rtp, RtpPacketBuilder().WithSsrc(7).Build());
  ASSERT_TRUE(bob.Receive().has_value());
  ASSERT_TRUE(Delete("call").ok());
  const std::vector<std::string> events = harness_.Events();
  ASSERT_GE(events.size(), 4u);
  EXPECT_EQ(events.front(), "call session_created");
  EXPECT_EQ(events[1], "call/alice leg_added");
  EXPECT_EQ(events[2], "call/bob leg_added");
  EXPECT_EQ(events.back(), "call session_ended");
}

TEST_F(WorkerLaneTest, MediaIsToldWhileTheSessionLives) {
  UdpPeer alice(IpFamily::kIpv4);
  ASSERT_TRUE(Create(Session("call")).ok());
  const absl::StatusOr<LegSnapshot> leg = AddLeg("call", "alice", alice);
  ASSERT_TRUE(leg.ok());
  alice.Send(leg->local.rtp, RtpPacketBuilder().WithSsrc(7).Build());
  EXPECT_THAT(harness_.WaitForEvents(4),
              ElementsAre("call session_created", "call/alice leg_added",
                          "call/alice media_started", "call/alice stream_added"));
}

TEST_F(WorkerLaneTest, ASessionThatEndsByItselfBecomesATombstoneOnce) {
  ASSERT_TRUE(Create(ShortSession("call")).ok());
  EXPECT_THAT(harness_.WaitForEvents(2), ElementsAre("call session_created", "call session_ended"));
  const absl::StatusOr<SessionPlace> place = Delete("call");
  ASSERT_TRUE(place.ok()) << "deleting what has ended is no error";
  EXPECT_EQ(place->report->end_reason, EndReason::kOfferTimeout);
  EXPECT_EQ(harness_.Events().size(), 2u) << "and not a second end";
}

TEST_F(WorkerLaneTest, AnEndedSessionIsNotChanged) {
  UdpPeer alice(IpFamily::kIpv4);
  ASSERT_TRUE(Create(Session("call")).ok());
  ASSERT_TRUE(Delete("call").ok());
  const absl::Status refused = AddLeg("call", "alice", alice).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(GetErrorDetail(refused)->subject, "TOMBSTONE");
}

TEST_F(WorkerLaneTest, ALiveSessionIsShownToWhoeverWouldCreateIt) {
  ASSERT_TRUE(Create(Session("call")).ok());
  EXPECT_TRUE(Create(Session("call")).ok());
  const absl::Status refused = harness_.room().OnLaneForNew("call", [&](WorkerLane& lane) {
    return lane
        .CreateSession(Session("call"),
                       [](const SessionSnapshot& live) {
                         EXPECT_EQ(live.id, "call");
                         return absl::AlreadyExistsError("of another kind");
                       })
        .status();
  });
  EXPECT_EQ(refused.message(), "of another kind");
  EXPECT_EQ(harness_.Events().size(), 1u) << "created once";
}

TEST_F(WorkerLaneTest, CreateAndDeleteOfOneIdTakeTurns) {
  // Whatever the interleaving: one session, one end, and the id does not come back.
  for (int round = 0; round < 50; ++round) {
    const std::string id = "call-" + std::to_string(round);
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) {
      threads.emplace_back([&] {
        const absl::Status status = Create(Session(id)).status();
        EXPECT_TRUE(status.ok() || absl::IsFailedPrecondition(status)) << status;
      });
      threads.emplace_back([&] {
        const absl::Status status = Delete(id).status();
        EXPECT_TRUE(status.ok() || absl::IsNotFound(status)) << status;
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    ASSERT_TRUE(Delete(id).ok());
    EXPECT_EQ(Create(Session(id)).status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_EQ(harness_.room().directory().usage().sessions, 0u);
    EXPECT_EQ(harness_.room().log().latest(), 2u * (static_cast<uint64_t>(round) + 1));
  }
}

}  // namespace
}  // namespace sluice
