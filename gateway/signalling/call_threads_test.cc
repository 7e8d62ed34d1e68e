#include "gateway/signalling/call_threads.h"

#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/notification.h"
#include "gateway/errors/error_detail.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;

TEST(CallThreadsTest, AllCallsAreMade) {
  constexpr int kCalls = 100;
  absl::BlockingCounter left(kCalls);
  CallThreads threads({.threads = 3, .waiting = kCalls});
  for (int i = 0; i < kCalls; ++i) {
    ASSERT_TRUE(threads.Submit([&left] { left.DecrementCount(); }).ok());
  }
  left.Wait();
}

TEST(CallThreadsTest, AsManyAreMadeAtATimeAsThereAreThreads) {
  // Each waits for all others to be there, too.
  absl::BlockingCounter begun(3);
  absl::Notification go;
  absl::BlockingCounter left(3);
  CallThreads threads({.threads = 3, .waiting = 1});
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(threads
                    .Submit([&] {
                      begun.DecrementCount();
                      go.WaitForNotification();
                      left.DecrementCount();
                    })
                    .ok());
  }
  begun.Wait();
  EXPECT_EQ(threads.usage().busy, 3u);
  go.Notify();
  left.Wait();
}

TEST(CallThreadsTest, OneMoreThanMayWaitIsRefusedAndNamesTheLimit) {
  absl::Notification begun;
  absl::Notification go;
  std::vector<int> order;
  absl::Notification last;
  CallThreads threads({.threads = 1, .waiting = 2});
  ASSERT_TRUE(threads
                  .Submit([&] {
                    begun.Notify();
                    go.WaitForNotification();
                  })
                  .ok());
  begun.WaitForNotification();
  ASSERT_TRUE(threads.Submit([&] { order.push_back(1); }).ok());
  ASSERT_TRUE(threads
                  .Submit([&] {
                    order.push_back(2);
                    last.Notify();
                  })
                  .ok());
  const absl::Status refused = threads.Submit([&] { order.push_back(3); });
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  const std::optional<ErrorDetail> detail = GetErrorDetail(refused);
  ASSERT_TRUE(detail.has_value());
  EXPECT_EQ(detail->subject, "participant_calls");
  EXPECT_EQ(threads.usage().waiting, 2u);
  EXPECT_EQ(threads.usage().refused, 1u);
  go.Notify();
  last.WaitForNotification();
  EXPECT_THAT(order, ElementsAre(1, 2));
}

TEST(CallThreadsTest, TheEndWaitsForWhatIsBeingMadeAndLeavesNothingBehind) {
  absl::Notification begun;
  absl::Notification go;
  bool done = false;
  // Each piece of work has one.
  const auto held = std::make_shared<int>(0);
  std::optional<CallThreads> threads;
  threads.emplace(CallThreadLimits{.threads = 1, .waiting = 2});
  ASSERT_TRUE(threads
                  ->Submit([&, held] {
                    begun.Notify();
                    go.WaitForNotification();
                    done = true;
                  })
                  .ok());
  begun.WaitForNotification();
  ASSERT_TRUE(threads->Submit([held] {}).ok());
  EXPECT_EQ(held.use_count(), 3);
  std::thread stopper([&threads] { threads.reset(); });
  go.Notify();
  stopper.join();
  EXPECT_TRUE(done);
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace sluice
