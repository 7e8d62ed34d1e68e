#include "gateway/control/control_room.h"

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/time_delta.h"
#include "gateway/control/testing/control_harness.h"
#include "gateway/control/worker_lane.h"
#include "gateway/errors/error_detail.h"
#include "gateway/session/session_spec.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

class ControlRoomTest : public ::testing::Test {
 protected:
  absl::Status Create(const std::string& id, TimeDelta offer = TimeDelta::Seconds(300)) {
    return harness_.room().OnLaneForNew(id, [&](WorkerLane& lane) {
      SessionSpec spec;
      spec.id = id;
      spec.timeouts.offer = offer;
      return lane.CreateSession(spec, [](const SessionSnapshot&) { return absl::OkStatus(); })
          .status();
    });
  }

  ControlHarness harness_;
  ControlRoom& room_ = harness_.room();
};

TEST_F(ControlRoomTest, AnUnknownSessionIsNotFoundByName) {
  const absl::Status calls[] = {room_.Find("call").status(),
                                room_.OnLane("call", [](WorkerLane&) { return absl::OkStatus(); })};
  for (const absl::Status& status : calls) {
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
    EXPECT_EQ(GetErrorDetail(status)->subject, "session");
    EXPECT_EQ(GetErrorDetail(status)->name, "call");
  }
}

TEST_F(ControlRoomTest, CallsGoToTheWorkerThatHasTheSession) {
  for (int i = 0; i < 8; ++i) {
    ASSERT_EQ(Create(absl::StrCat("call-", i)), absl::OkStatus());
  }
  for (int i = 0; i < 8; ++i) {
    const std::string id = absl::StrCat("call-", i);
    EXPECT_EQ(
        room_.OnLane(id, [&](WorkerLane& lane) { return lane.worker().GetSession(id).status(); }),
        absl::OkStatus());
  }
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(harness_.workers().worker(i).GetUsage()->sessions, 4u);
  }
}

TEST_F(ControlRoomTest, FindsLiveSessionsAndTombstones) {
  ASSERT_EQ(Create("call"), absl::OkStatus());
  absl::StatusOr<FoundSession> found = room_.Find("call");
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(found->place.live());
  EXPECT_EQ(found->snapshot.id, "call");

  harness_.Advance(absl::Seconds(3));
  ASSERT_EQ(
      room_.OnLane("call", [](WorkerLane& lane) { return lane.DeleteSession("call").status(); }),
      absl::OkStatus());
  found = room_.Find("call");
  ASSERT_TRUE(found.ok());
  EXPECT_FALSE(found->place.live());
  EXPECT_EQ(found->snapshot.state, SessionState::kEnded);
  EXPECT_EQ(found->place.ended - found->place.created, absl::Seconds(3));

  harness_.Advance(absl::Minutes(10));
  EXPECT_EQ(room_.Find("call").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ControlRoomTest, ASessionIsFoundAtAnyMomentOfItsEnd) {
  // Between the worker's end of a session and the pump's word of it there is no gap for Find.
  for (int i = 0; i < 20; ++i) {
    const std::string id = absl::StrCat("call-", i);
    ASSERT_EQ(Create(id, TimeDelta::Millis(3)), absl::OkStatus());
    absl::StatusOr<FoundSession> found;
    do {
      found = room_.Find(id);
      ASSERT_TRUE(found.ok()) << found.status();
    } while (found->place.live());
    EXPECT_EQ(found->snapshot.end_reason, EndReason::kOfferTimeout);
  }
}

TEST_F(ControlRoomTest, WhatNeverSettlesIsGivenUp) {
  ASSERT_EQ(Create("call"), absl::OkStatus());
  int tries = 0;
  EXPECT_EQ(room_
                .OnLane("call",
                        [&](WorkerLane&) {
                          ++tries;
                          return absl::AbortedError("look again");
                        })
                .code(),
            absl::StatusCode::kUnavailable);
  EXPECT_GT(tries, 1);
}

}  // namespace
}  // namespace sluice
