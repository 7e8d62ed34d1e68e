#include "gateway/io/epoll.h"

#include <cstdint>
#include <set>
#include <vector>

#include "absl/status/status.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gateway/io/steady_clock.h"
#include "gateway/io/wakeup.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr uint64_t kBigToken = 0xFEDC'BA98'7654'3210;

TEST(EpollTest, ReportsTheTokensOfWhatIsReadable) {
  Epoll epoll = Epoll::Create().value();
  Wakeup a = Wakeup::Create().value();
  Wakeup b = Wakeup::Create().value();
  Wakeup quiet = Wakeup::Create().value();
  ASSERT_TRUE(epoll.Add(a.fd(), 0).ok());
  ASSERT_TRUE(epoll.Add(b.fd(), kBigToken).ok());
  ASSERT_TRUE(epoll.Add(quiet.fd(), 7).ok());
  EXPECT_THAT(epoll.Wait(TimeDelta::Zero()), IsEmpty());
  a.Signal();
  b.Signal();
  EXPECT_THAT(epoll.Wait(TimeDelta::PlusInfinity()), UnorderedElementsAre(0, kBigToken));
}

TEST(EpollTest, ReportsAgainWhatIsLeftUnread) {
  Epoll epoll = Epoll::Create().value();
  Wakeup wakeup = Wakeup::Create().value();
  ASSERT_TRUE(epoll.Add(wakeup.fd(), 5).ok());
  wakeup.Signal();
  EXPECT_THAT(epoll.Wait(TimeDelta::Zero()), ElementsAre(5));
  EXPECT_THAT(epoll.Wait(TimeDelta::Zero()), ElementsAre(5));
  wakeup.Clear();
  EXPECT_THAT(epoll.Wait(TimeDelta::Zero()), IsEmpty());
}

TEST(EpollTest, SaysNothingMoreOfWhatWasRemoved) {
  Epoll epoll = Epoll::Create().value();
  Wakeup wakeup = Wakeup::Create().value();
  ASSERT_TRUE(epoll.Add(wakeup.fd(), 5).ok());
  wakeup.Signal();
  epoll.Remove(wakeup.fd());
  EXPECT_THAT(epoll.Wait(TimeDelta::Zero()), IsEmpty());
  // May come back under another token.
  ASSERT_TRUE(epoll.Add(wakeup.fd(), 6).ok());
  EXPECT_THAT(epoll.Wait(TimeDelta::Zero()), ElementsAre(6));
}

TEST(EpollTest, DoesNotWakeBeforeTheDeadline) {
  Epoll epoll = Epoll::Create().value();
  for (const TimeDelta timeout : {TimeDelta::Micros(1), TimeDelta::Micros(1'001)}) {
    const Timestamp start = SteadyClock::Now();
    EXPECT_THAT(epoll.Wait(timeout), IsEmpty());
    EXPECT_GE(SteadyClock::Now() - start, timeout);
  }
}

TEST(EpollTest, DoesNotWaitForWhatIsPast) {
  Epoll epoll = Epoll::Create().value();
  EXPECT_THAT(epoll.Wait(TimeDelta::MinusInfinity()), IsEmpty());
  EXPECT_THAT(epoll.Wait(TimeDelta::Micros(-1)), IsEmpty());
}

TEST(EpollTest, ComesRoundToAllWhenMoreAreReadableThanItReportsAtOnce) {
  Epoll epoll = Epoll::Create().value();
  std::vector<Wakeup> wakeups;
  for (size_t i = 0; i < 3 * Epoll::kMaxReady; ++i) {
    wakeups.push_back(Wakeup::Create().value());
    wakeups.back().Signal();
    ASSERT_TRUE(epoll.Add(wakeups.back().fd(), i).ok());
  }
  std::set<uint64_t> seen;
  for (int round = 0; round < 3; ++round) {
    for (const uint64_t token : epoll.Wait(TimeDelta::Zero())) seen.insert(token);
  }
  EXPECT_EQ(seen.size(), wakeups.size());
}

TEST(EpollTest, RefusesADescriptorTwice) {
  Epoll epoll = Epoll::Create().value();
  Wakeup wakeup = Wakeup::Create().value();
  ASSERT_TRUE(epoll.Add(wakeup.fd(), 1).ok());
  EXPECT_FALSE(epoll.Add(wakeup.fd(), 2).ok());
}

}  // namespace
}  // namespace sluice
