#include "gateway/control/session_directory.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gateway/errors/error_detail.h"
#include "gateway/session/session_spec.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

SessionSnapshot Report(const std::string& id, const SessionLabels& labels = {}) {
  SessionSnapshot report;
  report.id = id;
  report.labels = labels;
  report.end_reason = EndReason::kDeleted;
  return report;
}

class SessionDirectoryTest : public ::testing::Test {
 protected:
  // Reserves on the emptiest worker.
  absl::Status Reserve(const std::string& id, const SessionLabels& labels = {}) {
    return directory_.Reserve(id, directory_.EmptiestWorker(), labels);
  }
  std::vector<std::string> List(const SessionQuery& query, absl::string_view after = "",
                                size_t max = 100) {
    std::vector<std::string> ids;
    for (const ListedSession& session : directory_.List(query, after, max, more_)) {
      ids.push_back(session.id);
    }
    return ids;
  }

  absl::Time now_ = absl::FromUnixSeconds(1'700'000'000);
  bool more_ = false;
  SessionDirectory directory_{{.workers = 2,
                               .sessions = 4,
                               .sessions_per_worker = 2,
                               .tombstones = 3,
                               .tombstone_bytes = 1 << 20,
                               .tombstone_lifetime = absl::Minutes(10)},
                              [this] { return now_; }};
};

TEST_F(SessionDirectoryTest, FindsWhatWasReserved) {
  EXPECT_EQ(directory_.Find("a"), std::nullopt);
  ASSERT_EQ(directory_.Reserve("a", 1, {}), absl::OkStatus());
  const std::optional<SessionPlace> place = directory_.Find("a");
  ASSERT_TRUE(place.has_value());
  EXPECT_TRUE(place->live());
  EXPECT_EQ(place->worker, 1u);
  EXPECT_EQ(place->created, now_);
}

TEST_F(SessionDirectoryTest, AnIdHasOnePlaceOnly) {
  ASSERT_EQ(Reserve("a"), absl::OkStatus());
  EXPECT_EQ(Reserve("a").code(), absl::StatusCode::kAlreadyExists);
  directory_.Release("a");
  EXPECT_EQ(Reserve("a"), absl::OkStatus());
}

TEST_F(SessionDirectoryTest, SessionsSpreadEvenly) {
  for (const char* id : {"a", "b", "c", "d"}) {
    ASSERT_EQ(Reserve(id), absl::OkStatus());
  }
  EXPECT_NE(directory_.Find("a")->worker, directory_.Find("b")->worker);
  EXPECT_NE(directory_.Find("c")->worker, directory_.Find("d")->worker);
  const size_t worker = directory_.Find("b")->worker;
  ASSERT_TRUE(directory_.Bury(Report("b")).has_value());
  EXPECT_EQ(directory_.EmptiestWorker(), worker);
}

TEST_F(SessionDirectoryTest, RefusesMoreThanTheLimitAndCountsIt) {
  for (const char* id : {"a", "b", "c", "d"}) {
    ASSERT_EQ(Reserve(id), absl::OkStatus());
  }
  const absl::Status full = Reserve("e");
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(GetErrorDetail(full)->subject, "sessions");
  EXPECT_EQ(directory_.usage().sessions, 4u);
  EXPECT_EQ(directory_.usage().sessions_refused, 1u);
}

TEST_F(SessionDirectoryTest, AWorkerThatFilledUpMeanwhileIsNotAReasonToRefuse) {
  ASSERT_EQ(directory_.Reserve("a", 0, {}), absl::OkStatus());
  ASSERT_EQ(directory_.Reserve("b", 0, {}), absl::OkStatus());
  EXPECT_EQ(directory_.Reserve("c", 0, {}).code(), absl::StatusCode::kAborted);
  EXPECT_EQ(directory_.EmptiestWorker(), 1u);
  EXPECT_EQ(Reserve("c"), absl::OkStatus());
}

TEST_F(SessionDirectoryTest, AnEndedSessionIsATombstoneWithItsReport) {
  ASSERT_EQ(Reserve("a", {{"tenant", "x"}}), absl::OkStatus());
  now_ += absl::Seconds(5);
  const std::optional<SessionPlace> buried = directory_.Bury(Report("a", {{"tenant", "x"}}));
  ASSERT_TRUE(buried.has_value());
  const std::optional<SessionPlace> place = directory_.Find("a");
  ASSERT_TRUE(place.has_value());
  EXPECT_FALSE(place->live());
  EXPECT_EQ(place->report, buried->report);
  EXPECT_EQ(place->report->state, SessionState::kEnded);
  EXPECT_EQ(place->ended - place->created, absl::Seconds(5));
  EXPECT_EQ(directory_.usage().sessions, 0u);
  EXPECT_EQ(directory_.usage().tombstones, 1u);
}

TEST_F(SessionDirectoryTest, ATombstoneKeepsItsIdFromComingBackForItsLifetime) {
  ASSERT_EQ(Reserve("a"), absl::OkStatus());
  directory_.Bury(Report("a"));
  const absl::Status refused = Reserve("a");
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(GetErrorDetail(refused)->subject, "TOMBSTONE");
  now_ += absl::Minutes(10) - absl::Nanoseconds(1);
  EXPECT_TRUE(directory_.Find("a").has_value());
  now_ += absl::Nanoseconds(1);
  EXPECT_EQ(directory_.Find("a"), std::nullopt);
  EXPECT_EQ(Reserve("a"), absl::OkStatus());
  EXPECT_EQ(directory_.usage().tombstones_evicted, 0u);
}

TEST_F(SessionDirectoryTest, ASessionEndsOnce) {
  ASSERT_EQ(Reserve("a"), absl::OkStatus());
  EXPECT_TRUE(directory_.Bury(Report("a")).has_value());
  EXPECT_EQ(directory_.Bury(Report("a")), std::nullopt);
  EXPECT_EQ(directory_.Bury(Report("never")), std::nullopt);
}

TEST_F(SessionDirectoryTest, ReleaseLeavesTombstonesAlone) {
  ASSERT_EQ(Reserve("a"), absl::OkStatus());
  directory_.Bury(Report("a"));
  directory_.Release("a");
  directory_.Release("never");
  EXPECT_TRUE(directory_.Find("a").has_value());
}

TEST_F(SessionDirectoryTest, TheOldestTombstonesGoWhenThereAreTooMany) {
  for (const char* id : {"a", "b", "c", "d"}) {
    ASSERT_EQ(Reserve(id), absl::OkStatus());
    directory_.Bury(Report(id));
  }
  EXPECT_EQ(directory_.Find("a"), std::nullopt);
  EXPECT_TRUE(directory_.Find("b").has_value());
  EXPECT_EQ(directory_.usage().tombstones, 3u);
  EXPECT_EQ(directory_.usage().tombstones_evicted, 1u);
}

TEST_F(SessionDirectoryTest, TheOldestTombstonesGoWhenTheyTakeTooMuch) {
  SessionDirectory directory({.workers = 1,
                              .sessions = 4,
                              .sessions_per_worker = 4,
                              .tombstones = 100,
                              .tombstone_bytes = 3000,
                              .tombstone_lifetime = absl::Minutes(10)},
                             [this] { return now_; });
  for (const char* id : {"a", "b", "c"}) {
    ASSERT_EQ(directory.Reserve(id, 0, {}), absl::OkStatus());
    directory.Bury(Report(id, {{"label", std::string(1000, 'x')}}));
  }
  EXPECT_EQ(directory.Find("a"), std::nullopt);
  EXPECT_TRUE(directory.Find("c").has_value());
}

TEST_F(SessionDirectoryTest, ListsLiveSessionsByIdInPages) {
  for (const char* id : {"d", "b", "a", "c"}) {
    ASSERT_EQ(Reserve(id), absl::OkStatus());
  }
  EXPECT_THAT(List({}), ElementsAre("a", "b", "c", "d"));
  EXPECT_FALSE(more_);
  EXPECT_THAT(List({}, "", 2), ElementsAre("a", "b"));
  EXPECT_TRUE(more_);
  EXPECT_THAT(List({}, "b", 2), ElementsAre("c", "d"));
  EXPECT_FALSE(more_) << "exactly full, with nothing behind";
  EXPECT_THAT(List({}, "d"), IsEmpty());
}

TEST_F(SessionDirectoryTest, APageGoesOnBehindAnIdThatIsGone) {
  for (const char* id : {"a", "b", "c"}) {
    ASSERT_EQ(Reserve(id), absl::OkStatus());
  }
  directory_.Release("b");
  EXPECT_THAT(List({}, "b"), ElementsAre("c"));
}

TEST_F(SessionDirectoryTest, ListsByPrefixAndLabels) {
  ASSERT_EQ(Reserve("call-1", {{"tenant", "x"}, {"site", "1"}}), absl::OkStatus());
  ASSERT_EQ(Reserve("call-2", {{"tenant", "y"}}), absl::OkStatus());
  ASSERT_EQ(Reserve("room-1", {{"tenant", "x"}}), absl::OkStatus());
  EXPECT_THAT(List({.id_prefix = "call-"}), ElementsAre("call-1", "call-2"));
  EXPECT_THAT(List({.labels = {{"tenant", "x"}}}), ElementsAre("call-1", "room-1"));
  EXPECT_THAT(List({.labels = {{"tenant", "x"}, {"site", "1"}}}), ElementsAre("call-1"));
  EXPECT_THAT(List({.labels = {{"site", ""}}}), IsEmpty());
  EXPECT_THAT(List({.id_prefix = "call-"}, "call-1"), ElementsAre("call-2"));
  EXPECT_THAT(List({.id_prefix = "call-2"}, "call-1"), ElementsAre("call-2"));
  directory_.SetLabels("call-2", {{"tenant", "x"}});
  EXPECT_THAT(List({.labels = {{"tenant", "x"}}}), ElementsAre("call-1", "call-2", "room-1"));
}

TEST_F(SessionDirectoryTest, ListsTombstonesApart) {
  ASSERT_EQ(Reserve("a"), absl::OkStatus());
  ASSERT_EQ(Reserve("b", {{"tenant", "x"}}), absl::OkStatus());
  directory_.Bury(Report("b", {{"tenant", "x"}}));
  EXPECT_THAT(List({}), ElementsAre("a"));
  EXPECT_THAT(List({.ended = true}), ElementsAre("b"));
  EXPECT_THAT(List({.labels = {{"tenant", "x"}}, .ended = true}), ElementsAre("b"));
  EXPECT_THAT(List({.labels = {{"tenant", "y"}}, .ended = true}), IsEmpty());
}

}  // namespace
}  // namespace sluice
