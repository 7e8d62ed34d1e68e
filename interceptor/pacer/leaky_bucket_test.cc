#include "interceptor/pacer/leaky_bucket.h"

#include "gtest/gtest.h"

namespace sluice {
namespace {

constexpr DataSize kPacket = DataSize::Bytes(1000);

// Sends whenever it may; packets in `duration`.
int Count(LeakyBucket& bucket, Timestamp& now, TimeDelta duration) {
  int packets = 0;
  for (const Timestamp end = now + duration; now < end;) {
    if (bucket.CanSend(now)) {
      bucket.OnSent(now, kPacket);
      ++packets;
    } else {
      now = bucket.NextSend();
    }
  }
  return packets;
}

TEST(LeakyBucketTest, KeepsTheRate) {
  for (const int64_t kbps : {80, 1000, 20'000, 1'000'000}) {
    LeakyBucket bucket(DataRate::KilobitsPerSec(kbps));
    Timestamp now = Timestamp::Seconds(3);
    const int expected = static_cast<int>(kbps * 10 / 8);
    EXPECT_NEAR(Count(bucket, now, TimeDelta::Seconds(10)), expected, 1 + expected / 500) << kbps;
  }
}

TEST(LeakyBucketTest, AfterAPauseNothingIsMadeUpFor) {
  LeakyBucket bucket(DataRate::KilobitsPerSec(1000));
  Timestamp now = Timestamp::Seconds(60);
  EXPECT_TRUE(bucket.CanSend(now));
  bucket.OnSent(now, kPacket);
  EXPECT_FALSE(bucket.CanSend(now)) << "8 ms are more than a burst";
  EXPECT_EQ(bucket.NextSend(), now + TimeDelta::Millis(8));
}

TEST(LeakyBucketTest, SmallPacketsGoInBursts) {
  LeakyBucket bucket(DataRate::KilobitsPerSec(8000));
  const Timestamp now = Timestamp::Seconds(1);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(bucket.CanSend(now));
    bucket.OnSent(now, kPacket);
  }
  EXPECT_FALSE(bucket.CanSend(now));
  EXPECT_FALSE(bucket.CanSend(now + TimeDelta::Millis(4)));
  EXPECT_TRUE(bucket.CanSend(now + TimeDelta::Millis(5)));
}

TEST(LeakyBucketTest, PacketsThatDoNotAskAreChargedToo) {
  LeakyBucket bucket(DataRate::KilobitsPerSec(1000));
  const Timestamp now = Timestamp::Seconds(1);
  for (int i = 0; i < 3; ++i) {
    bucket.OnSent(now, kPacket);
  }
  EXPECT_EQ(bucket.NextSend(), now + TimeDelta::Millis(24));
}

TEST(LeakyBucketTest, AHigherRateShortensTheWait) {
  LeakyBucket bucket(DataRate::KilobitsPerSec(100));
  const Timestamp now = Timestamp::Seconds(1);
  bucket.OnSent(now, kPacket);
  bucket.SetRate(now + TimeDelta::Millis(40), DataRate::KilobitsPerSec(1000));
  // Half of it is left.
  EXPECT_EQ(bucket.NextSend(), now + TimeDelta::Millis(44));
}

TEST(LeakyBucketTest, TheLowestRateDoesNotBlockForEver) {
  LeakyBucket bucket(DataRate::BitsPerSec(1));
  const Timestamp now = Timestamp::Seconds(1);
  bucket.OnSent(now, DataSize::Bytes(65'535));
  EXPECT_EQ(bucket.NextSend(), now + LeakyBucket::kMaxBusy);
  bucket.SetRate(now, DataRate::BitsPerSec(1));
  EXPECT_EQ(bucket.NextSend(), now + LeakyBucket::kMaxBusy);
}

}  // namespace
}  // namespace sluice
