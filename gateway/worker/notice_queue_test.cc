#include "gateway/worker/notice_queue.h"

#include <atomic>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "gateway/session/session_event.h"
#include "gateway/session/session_spec.h"
#include "gateway/worker/worker_notice.h"
#include "gtest/gtest.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

WorkerNotice Event(uint32_t number) {
  SessionEvent event;
  event.ssrc = Ssrc(number);
  return {.event = event, .ended = nullptr};
}

TEST(NoticeQueueTest, GivesNoticesInOrderAndOnce) {
  NoticeQueue queue(4, nullptr);
  queue.Push(Event(1));
  auto report = std::make_unique<SessionSnapshot>();
  report->id = "call";
  queue.Push({.event = std::nullopt, .ended = std::move(report)});
  queue.Push(Event(2));
  const std::vector<WorkerNotice> notices = queue.Take();
  ASSERT_EQ(notices.size(), 3u);
  EXPECT_EQ(notices[0].event->ssrc, Ssrc(1));
  EXPECT_EQ(notices[0].ended, nullptr);
  EXPECT_FALSE(notices[1].event.has_value());
  EXPECT_EQ(notices[1].ended->id, "call");
  EXPECT_EQ(notices[2].event->ssrc, Ssrc(2));
  EXPECT_TRUE(queue.Take().empty());
}

TEST(NoticeQueueTest, IsFullAtItsCapacityUntilTaken) {
  NoticeQueue queue(3, nullptr);
  for (uint32_t round = 0; round < 5; ++round) {
    for (uint32_t i = 0; i < 3; ++i) {
      ASSERT_FALSE(queue.full());
      queue.Push(Event(i));
    }
    EXPECT_TRUE(queue.full());
    EXPECT_EQ(queue.Take().size(), 3u);
  }
}

TEST(NoticeQueueTest, WakesOncePerTake) {
  int wakes = 0;
  NoticeQueue queue(8, [&] { ++wakes; });
  queue.Flush();
  EXPECT_EQ(wakes, 0) << "there is nothing to take";
  queue.Push(Event(1));
  EXPECT_EQ(wakes, 0) << "pushes are announced together";
  queue.Push(Event(2));
  queue.Flush();
  EXPECT_EQ(wakes, 1);
  queue.Push(Event(3));
  queue.Flush();
  EXPECT_EQ(wakes, 1) << "not taken yet";
  EXPECT_EQ(queue.Take().size(), 3u);
  queue.Flush();
  EXPECT_EQ(wakes, 1);
  queue.Push(Event(4));
  queue.Flush();
  EXPECT_EQ(wakes, 2);
}

class TakerTest : public testing::TestWithParam<size_t> {};

// With one place, every single notice depends on a wake of its own.
INSTANTIATE_TEST_SUITE_P(Capacities, TakerTest, testing::Values(1, 16));

TEST_P(TakerTest, ThatOnlyTakesWhenWokenMissesNothing) {
  constexpr uint32_t kNotices = 20'000;
  std::atomic<int> waiting{0};
  NoticeQueue queue(GetParam(), [&] {
    waiting.store(1);
    waiting.notify_one();
  });
  std::thread worker([&] {
    for (uint32_t i = 0; i < kNotices; ++i) {
      while (queue.full()) std::this_thread::yield();
      queue.Push(Event(i));
      queue.Flush();
    }
  });
  uint32_t taken = 0;
  uint32_t wrong = 0;
  while (taken < kNotices) {
    // Would wait for ever if a wake were lost.
    waiting.wait(0);
    waiting.store(0);
    for (const WorkerNotice& notice : queue.Take()) {
      wrong += notice.event->ssrc != Ssrc(taken);
      ++taken;
    }
  }
  worker.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace sluice
