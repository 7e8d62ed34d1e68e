#include "tools/ctl/stop_signal.h"

#include <signal.h>

#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(StopSignalTest, WaitsForASignalAndRemembersIt) {
  StopSignal stop;
  EXPECT_FALSE(stop.received());
  EXPECT_FALSE(stop.Wait(absl::Milliseconds(1)));
  raise(SIGINT);
  EXPECT_TRUE(stop.Wait(absl::InfiniteDuration()));
  EXPECT_TRUE(stop.received());
  EXPECT_TRUE(stop.received());
}

TEST(StopSignalTest, EverySignalThatEndsAProcessCounts) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    StopSignal stop;
    raise(signal);
    EXPECT_TRUE(stop.received()) << signal;
  }
}

TEST(StopSignalTest, ManySignalsDoNotBlock) {
  StopSignal stop;
  // More than a pipe holds.
  for (int i = 0; i < 70'000; ++i) raise(SIGINT);
  EXPECT_TRUE(stop.received());
}

TEST(StopSignalTest, RestoresWhatWasThere) {
  signal(SIGINT, SIG_IGN);
  { StopSignal stop; }
  EXPECT_EQ(signal(SIGINT, SIG_DFL), SIG_IGN);
}

}  // namespace
}  // namespace sluice
