#include "gateway/io/wakeup.h"

#include <poll.h>

#include <thread>
#include <utility>

#include "gtest/gtest.h"

namespace sluice {
namespace {

bool IsReadable(const Wakeup& wakeup, int timeout_ms) {
  pollfd waiting{.fd = wakeup.fd(), .events = POLLIN, .revents = 0};
  return poll(&waiting, 1, timeout_ms) == 1;
}

TEST(WakeupTest, IsReadableFromSignalToClear) {
  Wakeup wakeup = Wakeup::Create().value();
  EXPECT_FALSE(IsReadable(wakeup, 0));
  wakeup.Signal();
  EXPECT_TRUE(IsReadable(wakeup, 0));
  EXPECT_TRUE(IsReadable(wakeup, 0));
  wakeup.Clear();
  EXPECT_FALSE(IsReadable(wakeup, 0));
}

TEST(WakeupTest, OneClearIsEnoughForManySignals) {
  Wakeup wakeup = Wakeup::Create().value();
  for (int i = 0; i < 1000; ++i) wakeup.Signal();
  wakeup.Clear();
  EXPECT_FALSE(IsReadable(wakeup, 0));
}

TEST(WakeupTest, ClearWithoutSignalDoesNotWait) {
  Wakeup wakeup = Wakeup::Create().value();
  wakeup.Clear();
  EXPECT_FALSE(IsReadable(wakeup, 0));
}

TEST(WakeupTest, WakesAnotherThread) {
  Wakeup wakeup = Wakeup::Create().value();
  bool woken = false;
  std::thread waiter([&] { woken = IsReadable(wakeup, 10'000); });
  wakeup.Signal();
  waiter.join();
  EXPECT_TRUE(woken);
}

TEST(WakeupTest, WorksAfterAMove) {
  Wakeup first = Wakeup::Create().value();
  Wakeup second = std::move(first);
  second.Signal();
  EXPECT_TRUE(IsReadable(second, 0));
}

}  // namespace
}  // namespace sluice
