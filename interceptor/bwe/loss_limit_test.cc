#include "interceptor/bwe/loss_limit.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

constexpr DataRate Kbps(int64_t kbps) { return DataRate::KilobitsPerSec(kbps); }

// A sender of packets of 1000 bytes at the lower of the limit and what delay allows, and feedback
// every 50 ms.
class Sender {
 public:
  explicit Sender(uint64_t seed) : random_(seed) {}

  // A path that loses `permille` by chance, and what exceeds `capacity`.
  DataRate Run(TimeDelta duration, uint64_t permille, DataRate capacity) {
    for (const Timestamp end = now + duration; now < end; now += TimeDelta::Millis(50)) {
      const DataRate rate = std::min(limit.limit(), delay_based);
      const double overflow = rate > capacity ? 1 - static_cast<double>(capacity.bps()) /
                                                        static_cast<double>(rate.bps())
                                              : 0;
      for (Timestamp sent = now; sent < now + TimeDelta::Millis(50);
           sent += DataSize::Bytes(1000) / rate) {
        const bool lost = random_.Below(1000) < permille ||
                          random_.Below(1'000'000) < static_cast<uint64_t>(overflow * 1e6);
        limit.Add({.sequence = 0,
                   .size = DataSize::Bytes(1000),
                   .sent = sent,
                   .arrived = lost ? Timestamp::PlusInfinity() : sent,
                   .probe_cluster = 0});
      }
      limit.Update(now, delay_based, std::min(rate, capacity));
    }
    return limit.limit();
  }

  Timestamp now = Timestamp::Seconds(10);
  DataRate delay_based = Kbps(2000);
  LossLimit limit{Kbps(30), Kbps(1000), Kbps(5000)};

 private:
  SeededRandom random_;
};

TEST(LossLimitTest, WithoutLossItIsWhatDelayAllows) {
  Sender sender(1);
  EXPECT_GE(sender.Run(TimeDelta::Seconds(5), 0, Kbps(10'000)), Kbps(2000));
}

TEST(LossLimitTest, RandomLossDoesNotHoldItDown) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(4);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  for (const uint64_t permille : {10, 20, 50}) {
    Sender sender(seed);
    EXPECT_GE(sender.Run(TimeDelta::Seconds(60), permille, Kbps(10'000)), Kbps(1000)) << permille;
    EXPECT_NEAR(sender.limit.inherent_loss(), static_cast<double>(permille) / 1000, 0.03);
  }
}

TEST(LossLimitTest, AQueueThatOverflowsBringsItDownToWhatIsDelivered) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(4);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  Sender sender(seed);
  sender.Run(TimeDelta::Seconds(3), 0, Kbps(10'000));
  EXPECT_LE(sender.Run(TimeDelta::Seconds(3), 0, Kbps(500)), Kbps(650));
  EXPECT_GE(sender.Run(TimeDelta::Seconds(10), 0, Kbps(500)), Kbps(400));
}

TEST(LossLimitTest, HeavyLossLeavesLittle) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(4);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  Sender sender(seed);
  EXPECT_LE(sender.Run(TimeDelta::Seconds(10), 500, Kbps(10'000)), Kbps(250));
}

TEST(LossLimitTest, ItComesBackWhenTheLossIsOver) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(4);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  Sender sender(seed);
  sender.Run(TimeDelta::Seconds(10), 0, Kbps(400));
  EXPECT_GE(sender.Run(TimeDelta::Seconds(15), 0, Kbps(10'000)), Kbps(1500));
}

TEST(LossLimitTest, StaysBetweenItsBounds) {
  Sender sender(1);
  EXPECT_GE(sender.Run(TimeDelta::Seconds(60), 1000, Kbps(10'000)), Kbps(30));
  sender.delay_based = Kbps(100'000);
  EXPECT_LE(sender.Run(TimeDelta::Seconds(60), 0, Kbps(200'000)), Kbps(5000));
}

TEST(LossLimitTest, AShortBurstIsNotYetAnObservation) {
  LossLimit limit(Kbps(30), Kbps(1000), Kbps(5000));
  for (int i = 0; i < 100; ++i) {
    limit.Add({.sequence = i,
               .size = DataSize::Bytes(1000),
               .sent = Timestamp::Micros(i),
               .arrived = Timestamp::PlusInfinity(),
               .probe_cluster = 0});
    EXPECT_EQ(limit.Update(Timestamp::Micros(i), Kbps(2000), std::nullopt), Kbps(1000));
  }
}

TEST(LossLimitTest, PacketsWithoutBytesAreNumbersToo) {
  LossLimit limit(Kbps(30), Kbps(1000), Kbps(5000));
  for (int i = 0; i < 1000; ++i) {
    limit.Add({.sequence = i,
               .size = DataSize::Zero(),
               .sent = Timestamp::Millis(10 * i),
               .arrived = Timestamp::PlusInfinity(),
               .probe_cluster = 0});
    const DataRate rate = limit.Update(Timestamp::Millis(10 * i), Kbps(0), Kbps(0));
    ASSERT_GE(rate, Kbps(30));
    ASSERT_LE(rate, Kbps(5000));
  }
}

}  // namespace
}  // namespace sluice
