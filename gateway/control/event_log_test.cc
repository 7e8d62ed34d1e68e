#include "gateway/control/event_log.h"

#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gateway/control/event_convert.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr absl::Duration kNow = absl::ZeroDuration();

absl::Time FixedTime() { return absl::FromUnixSeconds(1'700'000'000); }

class EventLogTest : public ::testing::Test {
 protected:
  void Append(int count) {
    for (int i = 0; i < count; ++i) {
      log_.Append(SessionCreatedEvent(absl::StrCat("call-", log_.latest() + 1)));
    }
  }
  std::vector<std::string> Ids(const absl::StatusOr<EventLog::Events>& events) {
    EXPECT_TRUE(events.ok()) << events.status();
    std::vector<std::string> ids;
    for (const auto& event : events.value_or(EventLog::Events())) {
      ids.push_back(event->session_id());
    }
    return ids;
  }

  EventLog log_{4, "instance", &FixedTime};
};

TEST_F(EventLogTest, CountsFromOneWithoutGaps) {
  EXPECT_EQ(log_.latest(), 0u);
  Append(3);
  EXPECT_EQ(log_.latest(), 3u);
  const auto events = log_.Read(0, 10, kNow);
  ASSERT_TRUE(events.ok());
  ASSERT_EQ(events->size(), 3u);
  EXPECT_EQ((*events)[0]->sequence(), 1u);
  EXPECT_EQ((*events)[2]->sequence(), 3u);
  EXPECT_EQ((*events)[0]->time().seconds(), 1'700'000'000);
}

TEST_F(EventLogTest, GivesWhatIsBehindASequence) {
  Append(4);
  EXPECT_THAT(Ids(log_.Read(2, 10, kNow)), ElementsAre("call-3", "call-4"));
  EXPECT_THAT(Ids(log_.Read(0, 2, kNow)), ElementsAre("call-1", "call-2"));
  EXPECT_THAT(Ids(log_.Read(4, 10, kNow)), IsEmpty());
}

TEST_F(EventLogTest, KeepsTheNewest) {
  Append(10);
  EXPECT_THAT(Ids(log_.Read(6, 10, kNow)), ElementsAre("call-7", "call-8", "call-9", "call-10"));
  EXPECT_EQ(log_.Read(5, 10, kNow).status().code(), absl::StatusCode::kOutOfRange);
}

TEST_F(EventLogTest, AWatcherResumesWhereItWas) {
  Append(10);
  EXPECT_EQ(log_.CheckResume(10, "instance"), absl::OkStatus());
  EXPECT_EQ(log_.CheckResume(6, "instance"), absl::OkStatus()) << "7 is the oldest kept";
}

TEST_F(EventLogTest, AWatcherLearnsThatItMissedSomething) {
  Append(10);
  EXPECT_EQ(log_.CheckResume(5, "instance").code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(log_.CheckResume(11, "instance").code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(log_.CheckResume(10, "another").code(), absl::StatusCode::kOutOfRange);
}

TEST_F(EventLogTest, AReaderIsWokenByTheNextEvent) {
  Append(1);
  std::thread reader([this] {
    EXPECT_THAT(Ids(log_.Read(1, 10, absl::InfiniteDuration())), ElementsAre("call-2"));
  });
  Append(1);
  reader.join();
}

TEST_F(EventLogTest, CloseLetsReadersGoButNotBeforeTheyHaveReadAll) {
  Append(1);
  std::thread reader([this] {
    EXPECT_EQ(log_.Read(1, 10, absl::InfiniteDuration()).status().code(),
              absl::StatusCode::kUnavailable);
  });
  log_.Close();
  reader.join();
  EXPECT_THAT(Ids(log_.Read(0, 10, absl::InfiniteDuration())), ElementsAre("call-1"));
  EXPECT_EQ(log_.Read(1, 10, absl::InfiniteDuration()).status().code(),
            absl::StatusCode::kUnavailable);
}

TEST_F(EventLogTest, ManyWritersAndReadersSeeOneOrder) {
  EventLog log(10'000, "instance", &FixedTime);
  constexpr int kWriters = 4;
  constexpr int kEach = 500;
  std::vector<std::thread> threads;
  for (int w = 0; w < kWriters; ++w) {
    threads.emplace_back([&log] {
      for (int i = 0; i < kEach; ++i) {
        log.Append(SessionCreatedEvent("call"));
      }
    });
  }
  threads.emplace_back([&log] {
    uint64_t sequence = 0;
    while (sequence < kWriters * kEach) {
      const auto events = log.Read(sequence, 16, absl::InfiniteDuration());
      ASSERT_TRUE(events.ok());
      for (const auto& event : *events) {
        ASSERT_EQ(event->sequence(), ++sequence);
      }
    }
  });
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace
}  // namespace sluice
