#include "interceptor/pacer/probe_run.h"

#include <optional>

#include "gtest/gtest.h"

namespace sluice {
namespace {

// 15 000 bytes.
constexpr ProbeWanted kProbe = {7, DataRate::KilobitsPerSec(8000), TimeDelta::Millis(15)};
constexpr DataSize kPacket = DataSize::Bytes(1000);

// Sends packets when they may go until the probe is over; how many.
int Finish(ProbeRun& run, Timestamp& now, DataSize size = kPacket) {
  int packets = 0;
  for (const auto cluster = run.cluster(); run.cluster() == cluster && cluster.has_value();) {
    now = std::max(now, run.next_send());
    run.OnTime(now);
    run.OnSent(now, size);
    ++packets;
  }
  return packets;
}

TEST(ProbeRunTest, WithoutAProbeNothingIsWanted) {
  ProbeRun run;
  EXPECT_EQ(run.cluster(), std::nullopt);
  EXPECT_EQ(run.next_send(), Timestamp::PlusInfinity());
  run.OnSent(Timestamp::Zero(), kPacket);
  run.OnTime(Timestamp::Seconds(100));
}

TEST(ProbeRunTest, PacketsGoAtTheRateOfTheProbe) {
  ProbeRun run;
  Timestamp now = Timestamp::Seconds(1);
  run.Add(now, kProbe);
  EXPECT_EQ(run.cluster(), 7u);
  EXPECT_LE(run.next_send(), now);
  EXPECT_EQ(run.remaining(), DataSize::Bytes(15'000));
  run.OnSent(now, kPacket);
  EXPECT_EQ(run.next_send(), now + TimeDelta::Millis(1));
  EXPECT_EQ(run.remaining(), DataSize::Bytes(14'000));
  EXPECT_EQ(Finish(run, now), 14);
  EXPECT_EQ(now, Timestamp::Millis(1014));
  EXPECT_EQ(run.finished(), 1u);
  EXPECT_EQ(run.cluster(), std::nullopt);
}

TEST(ProbeRunTest, HasAtLeastFivePackets) {
  ProbeRun run;
  Timestamp now = Timestamp::Seconds(1);
  run.Add(now, {1, DataRate::KilobitsPerSec(500), TimeDelta::Millis(15)});
  EXPECT_EQ(Finish(run, now), 5);
}

TEST(ProbeRunTest, ProbesRunOneAfterTheOther) {
  ProbeRun run;
  Timestamp now = Timestamp::Seconds(1);
  run.Add(now, kProbe);
  run.Add(now, {8, DataRate::KilobitsPerSec(16'000), TimeDelta::Millis(15)});
  EXPECT_EQ(Finish(run, now), 15);
  EXPECT_EQ(run.cluster(), 8u);
  EXPECT_LE(run.next_send(), now) << "a new one begins with the next packet";
  EXPECT_EQ(Finish(run, now), 30);
  EXPECT_EQ(run.finished(), 2u);
}

TEST(ProbeRunTest, AProbeThatFallsBehindIsGivenUp) {
  ProbeRun run;
  const Timestamp now = Timestamp::Seconds(1);
  run.Add(now, kProbe);
  run.OnSent(now, kPacket);
  run.OnTime(now + TimeDelta::Millis(21));
  EXPECT_EQ(run.cluster(), 7u);
  run.OnTime(now + TimeDelta::Millis(22));
  EXPECT_EQ(run.cluster(), std::nullopt);
  EXPECT_EQ(run.given_up(), 1u);
}

TEST(ProbeRunTest, AProbeThatCannotBeginIsGivenUp) {
  ProbeRun run;
  const Timestamp now = Timestamp::Seconds(1);
  run.Add(now, kProbe);
  run.OnTime(now + TimeDelta::Seconds(2));
  EXPECT_EQ(run.cluster(), 7u);
  run.OnTime(now + TimeDelta::Millis(2001));
  EXPECT_EQ(run.cluster(), std::nullopt);
}

TEST(ProbeRunTest, TooManyProbesAreRefused) {
  ProbeRun run;
  const Timestamp now = Timestamp::Seconds(1);
  for (uint32_t cluster = 1; cluster <= ProbeRun::kMaxWaiting + 2; ++cluster) {
    run.Add(now, {cluster, kProbe.rate, kProbe.duration});
  }
  EXPECT_EQ(run.refused(), 2u);
  run.Add(now, {0, kProbe.rate, kProbe.duration});
  run.Add(now, {9, DataRate::Zero(), kProbe.duration});
  EXPECT_EQ(run.refused(), 4u);
}

}  // namespace
}  // namespace sluice
