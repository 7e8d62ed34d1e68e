#include "gateway/control/event_pump.h"

#include <atomic>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(EventPumpTest, PublishesAtTheBeginningForWhatWasNoticedBefore) {
  EventPump pump;
  pump.Wake();
  absl::Notification published;
  std::atomic<bool> once{false};
  pump.Start([&] {
    if (!once.exchange(true)) {
      published.Notify();
    }
  });
  published.WaitForNotification();
}

TEST(EventPumpTest, NoWakeIsLost) {
  // Each wake puts something there first; whoever wakes last must see everything published.
  constexpr int kThreads = 4;
  constexpr int kEach = 2000;
  std::atomic<int> noticed{0};
  std::atomic<int> published{0};
  absl::Notification all;
  EventPump pump;
  pump.Start([&] {
    const int seen = noticed.load();
    if (published.exchange(seen) < kThreads * kEach && seen == kThreads * kEach) {
      all.Notify();
    }
  });
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < kEach; ++j) {
        noticed.fetch_add(1);
        pump.Wake();
      }
    });
  }
  all.WaitForNotification();
  for (std::thread& thread : threads) {
    thread.join();
  }
}

TEST(EventPumpTest, StopIsAfterTheLastCallAndWakesAreHarmlessThen) {
  std::atomic<bool> stopped{false};
  std::atomic<int> late{0};
  EventPump pump;
  pump.Start([&] { late += stopped.load() ? 1 : 0; });
  pump.Wake();
  pump.Stop();
  stopped = true;
  pump.Wake();
  pump.Stop();
  EXPECT_EQ(late.load(), 0);
}

TEST(EventPumpTest, MayNeverBeStarted) {
  EventPump pump;
  pump.Wake();
  pump.Stop();
}

}  // namespace
}  // namespace sluice
