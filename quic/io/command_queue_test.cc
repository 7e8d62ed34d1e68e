#include "quic/io/command_queue.h"

#include <poll.h>

#include <cstddef>
#include <memory>
#include <thread>
#include <utility>

#include "gtest/gtest.h"

namespace sluice {
namespace {

bool IsReadable(const CommandQueue& queue, int timeout_ms) {
  pollfd waiting{.fd = queue.fd(), .events = POLLIN, .revents = 0};
  return poll(&waiting, 1, timeout_ms) == 1;
}

TEST(CommandQueueTest, IsReadableWhileSomethingWaits) {
  const auto queue = *CommandQueue::Create();
  EXPECT_FALSE(IsReadable(*queue, 0));
  ASSERT_TRUE(queue->Post([](ListenerTurn&) {}));
  ASSERT_TRUE(queue->Post([](ListenerTurn&) {}));
  EXPECT_TRUE(IsReadable(*queue, 0));
  EXPECT_EQ(queue->TakeAll().size(), 2u);
  EXPECT_FALSE(IsReadable(*queue, 0));
  EXPECT_TRUE(queue->TakeAll().empty());
}

TEST(CommandQueueTest, RefusesMoreThanItHolds) {
  const auto queue = *CommandQueue::Create();
  for (size_t i = 0; i < CommandQueue::kMaxCommands; ++i) {
    ASSERT_TRUE(queue->Post([](ListenerTurn&) {}));
  }
  EXPECT_FALSE(queue->Post([](ListenerTurn&) {}));
  EXPECT_EQ(queue->refused(), 1u);
  EXPECT_EQ(queue->TakeAll().size(), CommandQueue::kMaxCommands);
  EXPECT_TRUE(queue->Post([](ListenerTurn&) {}));
}

TEST(CommandQueueTest, ForgetsWhatWaitsWhenItIsClosedAndTakesNothing) {
  const auto queue = *CommandQueue::Create();
  bool forgotten = false;
  const auto forget = [&forgotten](bool*) { forgotten = true; };
  std::unique_ptr<bool, decltype(forget)> held(&forgotten, forget);
  ASSERT_TRUE(queue->Post([held = std::move(held)](ListenerTurn&) {}));
  EXPECT_FALSE(forgotten);
  queue->Close();
  EXPECT_TRUE(forgotten);
  EXPECT_FALSE(queue->Post([](ListenerTurn&) {}));
  EXPECT_TRUE(queue->TakeAll().empty());
}

TEST(CommandQueueTest, AnotherThreadWakesTheOneThatWaits) {
  const auto queue = *CommandQueue::Create();
  bool woken = false;
  std::thread waiter([&] { woken = IsReadable(*queue, 10'000); });
  queue->Wake();
  waiter.join();
  EXPECT_TRUE(woken);
}

}  // namespace
}  // namespace sluice
