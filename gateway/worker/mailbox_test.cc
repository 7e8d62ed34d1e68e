#include "gateway/worker/mailbox.h"

#include <poll.h>

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "base/testing/seeded_random.h"
#include "gateway/io/wakeup.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using PostResult = Mailbox::PostResult;
using testing::ElementsAre;

bool IsReadable(const Wakeup& wakeup, int timeout_ms) {
  pollfd waiting{.fd = wakeup.fd(), .events = POLLIN, .revents = 0};
  return poll(&waiting, 1, timeout_ms) == 1;
}

bool RunOne(Mailbox& mailbox) {
  std::optional<MailboxCommand> command = mailbox.Take();
  if (!command.has_value()) return false;
  (*std::move(command))();
  return true;
}

class MailboxTest : public testing::Test {
 protected:
  Wakeup wakeup_ = Wakeup::Create().value();
};

TEST_F(MailboxTest, CommandsComeOutInTheOrderOfThePosts) {
  Mailbox mailbox(8, wakeup_);
  std::vector<int> done;
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(mailbox.Post([&done, i] { done.push_back(i); }), PostResult::kPosted);
  }
  while (RunOne(mailbox)) {
  }
  EXPECT_THAT(done, ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(MailboxTest, APostSignalsTheWorkerAndARefusedOneDoesNot) {
  Mailbox mailbox(2, wakeup_);
  EXPECT_FALSE(IsReadable(wakeup_, 0));
  ASSERT_EQ(mailbox.Post([] {}), PostResult::kPosted);
  EXPECT_TRUE(IsReadable(wakeup_, 0));
  ASSERT_EQ(mailbox.Post([] {}), PostResult::kPosted);
  wakeup_.Clear();
  EXPECT_EQ(mailbox.Post([] {}), PostResult::kFull);
  EXPECT_FALSE(IsReadable(wakeup_, 0));
}

TEST_F(MailboxTest, HoldsItsCapacityRoundedUpToAPowerOfTwo) {
  for (const auto& [asked, given] :
       {std::pair<size_t, size_t>{0, 2}, {1, 2}, {2, 2}, {3, 4}, {64, 64}, {65, 128}}) {
    Mailbox mailbox(asked, wakeup_);
    EXPECT_EQ(mailbox.capacity(), given);
    for (size_t i = 0; i < given; ++i) EXPECT_EQ(mailbox.Post([] {}), PostResult::kPosted);
    EXPECT_EQ(mailbox.Post([] {}), PostResult::kFull);
    ASSERT_TRUE(RunOne(mailbox));
    EXPECT_EQ(mailbox.Post([] {}), PostResult::kPosted);
    EXPECT_EQ(mailbox.Post([] {}), PostResult::kFull);
  }
}

TEST_F(MailboxTest, ACommandThatIsRefusedIsDestroyedBeforePostReturns) {
  Mailbox mailbox(2, wakeup_);
  while (mailbox.Post([] {}) == PostResult::kPosted) {
  }
  bool destroyed = false;
  EXPECT_EQ(mailbox.Post([end = absl::MakeCleanup([&] { destroyed = true; })] {}),
            PostResult::kFull);
  EXPECT_TRUE(destroyed);
}

TEST_F(MailboxTest, CloseDestroysWhatWaitsAndRefusesWhatComes) {
  Mailbox mailbox(4, wakeup_);
  int ran = 0;
  int destroyed = 0;
  const auto post = [&] {
    return mailbox.Post([&ran, end = absl::MakeCleanup([&] { ++destroyed; })] { ++ran; });
  };
  ASSERT_EQ(post(), PostResult::kPosted);
  ASSERT_EQ(post(), PostResult::kPosted);
  mailbox.Close();
  EXPECT_EQ(destroyed, 2);
  EXPECT_EQ(post(), PostResult::kClosed);
  EXPECT_EQ(destroyed, 3);
  EXPECT_EQ(ran, 0);
  EXPECT_FALSE(RunOne(mailbox));
}

TEST_F(MailboxTest, CommandsThatWereNeverTakenAreDestroyedWithTheMailbox) {
  bool destroyed = false;
  {
    Mailbox mailbox(4, wakeup_);
    ASSERT_EQ(mailbox.Post([end = absl::MakeCleanup([&] { destroyed = true; })] {}),
              PostResult::kPosted);
  }
  EXPECT_TRUE(destroyed);
}

// Random posts and takes of one thread against a queue that cannot be wrong.
TEST_F(MailboxTest, BehavesAsABoundedQueue) {
  constexpr uint64_t kSeed = 20240607;
  SeededRandom random(kSeed);
  Mailbox mailbox(8, wakeup_);
  std::deque<int> model;
  int taken = -1;
  for (int i = 0; i < 20'000; ++i) {
    if (random.Below(2) == 0) {
      const PostResult result = mailbox.Post([&taken, i] { taken = i; });
      ASSERT_EQ(result, model.size() < 8 ? PostResult::kPosted : PostResult::kFull)
          << "seed " << kSeed << " step " << i;
      if (result == PostResult::kPosted) model.push_back(i);
    } else {
      ASSERT_EQ(RunOne(mailbox), !model.empty()) << "seed " << kSeed << " step " << i;
      if (model.empty()) continue;
      ASSERT_EQ(taken, model.front()) << "seed " << kSeed << " step " << i;
      model.pop_front();
    }
  }
}

TEST_F(MailboxTest, ManyThreadsPostAndNothingIsLostDoubledOrOutOfOrder) {
  constexpr int kThreads = 4;
  constexpr int kPosts = 10'000;
  Mailbox mailbox(16, wakeup_);
  std::vector<int> next(kThreads, 0);
  int out_of_order = 0;
  std::vector<std::thread> posters;
  for (int t = 0; t < kThreads; ++t) {
    posters.emplace_back([&, t] {
      for (int i = 0; i < kPosts; ++i) {
        while (mailbox.Post([&, t, i] { out_of_order += next[t]++ != i; }) != PostResult::kPosted) {
          std::this_thread::yield();
        }
      }
    });
  }
  int taken = 0;
  while (taken < kThreads * kPosts) {
    // As the worker does: sleeps until signalled, clears, then takes all. A lost signal would hang.
    ASSERT_TRUE(IsReadable(wakeup_, 10'000)) << "asleep after " << taken;
    wakeup_.Clear();
    while (RunOne(mailbox)) ++taken;
  }
  for (std::thread& poster : posters) poster.join();
  EXPECT_EQ(out_of_order, 0);
  EXPECT_THAT(next, testing::Each(kPosts));
}

TEST_F(MailboxTest, CloseAmongPostsLeavesNoCommandBehind) {
  for (int round = 0; round < 50; ++round) {
    Mailbox mailbox(4, wakeup_);
    std::atomic<int> posted{0};
    std::atomic<int> destroyed{0};
    std::vector<std::thread> posters;
    for (int t = 0; t < 3; ++t) {
      posters.emplace_back([&] {
        PostResult result = PostResult::kPosted;
        while (result != PostResult::kClosed) {
          ++posted;
          result = mailbox.Post([end = absl::MakeCleanup([&] { ++destroyed; })] {});
          if (result == PostResult::kFull) std::this_thread::yield();
        }
      });
    }
    while (posted.load() < 6) RunOne(mailbox);
    mailbox.Close();
    for (std::thread& poster : posters) poster.join();
    // Each was run, refused, or destroyed by Close; none sleeps in the closed mailbox.
    EXPECT_EQ(destroyed.load(), posted.load());
  }
}

}  // namespace
}  // namespace sluice
