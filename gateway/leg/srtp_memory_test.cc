#include "gateway/leg/srtp_memory.h"

#include "gtest/gtest.h"

namespace sluice {
namespace {

constexpr size_t kStreams = 10;

TEST(SrtpMemoryTest, WhatEveryLegHasIsNotExtra) {
  EXPECT_EQ(ExtraSrtpBytes({}, {}, kStreams, kKeysOfEveryLeg), 0u);
  SrtpOptions narrow;
  narrow.rtp_replay_window = 64;
  narrow.rtcp_replay_window = 64;
  EXPECT_EQ(ExtraSrtpBytes(narrow, narrow, kStreams, 1), 0u);
}

TEST(SrtpMemoryTest, WiderWindowsCountForEveryStreamAndTheSpareContexts) {
  SrtpOptions wide;
  wide.rtp_replay_window = 32'768;
  EXPECT_EQ(ExtraSrtpBytes(wide, {}, kStreams, 0), (32'768u - 1024) / 8 * 12);
  EXPECT_EQ(ExtraSrtpBytes({}, wide, kStreams, 0), (32'768u - 1024) / 8 * 12);
  SrtpOptions wide_rtcp;
  wide_rtcp.rtcp_replay_window = 256;
  EXPECT_EQ(ExtraSrtpBytes({}, wide_rtcp, kStreams, 0), 128u / 8 * 12);
  // What we send needs no window for SRTCP.
  EXPECT_EQ(ExtraSrtpBytes(wide_rtcp, {}, kStreams, 0), 0u);
}

TEST(SrtpMemoryTest, MoreKeysCount) {
  EXPECT_EQ(ExtraSrtpBytes({}, {}, kStreams, kKeysOfEveryLeg + 2), 2 * kLiveKeyBytes);
  EXPECT_EQ(ExtraSrtpBytes({}, {}, kStreams, 2 * kMaxKeysPerDirection), 13 * kLiveKeyBytes);
}

TEST(SrtpMemoryTest, TwiceAsManyStreamsAreRememberedUpToWhatIsPossible) {
  EXPECT_EQ(RememberedStreams(1), 2u);
  EXPECT_EQ(RememberedStreams(64), 128u);
  EXPECT_EQ(RememberedStreams(512), 1024u);
  EXPECT_EQ(RememberedStreams(1024), 1024u);
}

}  // namespace
}  // namespace sluice
