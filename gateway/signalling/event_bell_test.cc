#include "gateway/signalling/event_bell.h"

#include <optional>
#include <string>

#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/events.pb.h"

namespace sluice {
namespace {

// Counts rings, and the newest event at each.
class EventBellTest : public ::testing::Test {
 protected:
  void Start() {
    bell_.emplace(log_, [this] {
      const absl::MutexLock lock(&mutex_);
      ++rings_;
      heard_ = log_.latest();
    });
  }
  void WaitUntilHeard(uint64_t sequence) {
    const absl::MutexLock lock(&mutex_);
    const auto heard = [&]() { return heard_ >= sequence && rings_ > 0; };
    mutex_.Await(absl::Condition(&heard));
  }
  int rings() {
    const absl::MutexLock lock(&mutex_);
    return rings_;
  }

  EventLog log_{8, "instance", [] { return absl::UnixEpoch(); }};
  absl::Mutex mutex_;
  int rings_ = 0;
  uint64_t heard_ = 0;
  std::optional<EventBell> bell_;
};

TEST_F(EventBellTest, RingsForEachEventOrLaterForSeveral) {
  Start();
  for (uint64_t i = 1; i <= 20; ++i) {
    log_.Append(gateway::v1::Event());
    if (i % 5 == 0) {
      WaitUntilHeard(i);
    }
  }
}

TEST_F(EventBellTest, RingsWithoutEventsToo) {
  Start();
  WaitUntilHeard(0);
  EXPECT_GT(rings(), 0);
}

TEST_F(EventBellTest, RingsForTheEndOfTheLogAndIsSilentThen) {
  log_.Close();
  Start();
  WaitUntilHeard(0);
  bell_.reset();
  EXPECT_EQ(rings(), 1);
}

TEST_F(EventBellTest, IsNotRungAfterItsEnd) {
  Start();
  log_.Append(gateway::v1::Event());
  WaitUntilHeard(1);
  bell_.reset();
  const int before = rings();
  log_.Append(gateway::v1::Event());
  EXPECT_EQ(rings(), before);
}

}  // namespace
}  // namespace sluice
