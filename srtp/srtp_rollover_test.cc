// Rollover counters that nobody tells: of streams that begin close to a wrap, of streams that come
// back, and of a peer that loses much (RFC 3711 section 3.3.1).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_index.h"
#include "srtp/packet_kind.h"
#include "srtp/packet_layout.h"
#include "srtp/rtp_types.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"
#include "srtp/stream_state.h"
#include "srtp/testing/single_packet_cipher.h"
#include "srtp/testing/srtp_fixture.h"
#include "srtp/verdict.h"

namespace sluice {
namespace {

using ::testing::ElementsAreArray;

class SrtpRolloverTest : public SrtpFixture {
 protected:
  // The packet with that index: ROC and sequence number.
  Bytes RtpOf(uint64_t index, uint32_t ssrc = kSsrc) {
    Bytes bytes = PlainRtp(static_cast<uint16_t>(index), ssrc);
    const size_t header_size = bytes.size() - kPayloadSize;
    bytes.resize(bytes.size() + suite().rtp_tag_size);
    cipher_.SealRtp(absl::MakeSpan(bytes), header_size, Ssrc(ssrc), PacketIndex(index));
    return bytes;
  }
  uint64_t HighestOf(const SrtpReceiver& receiver, uint32_t ssrc = kSsrc) {
    for (const ReceiverStreamState& state : receiver.ExportStreams()) {
      if (state.ssrc == Ssrc(ssrc) && state.rtp.has_value()) {
        return state.rtp->highest;
      }
    }
    return 0;
  }

  SinglePacketCipher cipher_{key_, engine()};
};

INSTANTIATE_TEST_SUITE_P(All, SrtpRolloverTest, testing::ValuesIn(AllSuitesOnAllEngines()),
                         SuiteOnEngineName);

TEST_P(SrtpRolloverTest, AStreamWhoseFirstPacketsWereLostAcrossTheWrapOpens) {
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
  ASSERT_EQ(ReceiveRtp(*receiver, RtpOf(65536 + 3)), UnprotectVerdict::kOk);
  EXPECT_THAT(opened_, ElementsAreArray(PlainRtp(3)));
  EXPECT_EQ(HighestOf(*receiver), 65536u + 3);
  // Those before the wrap come late.
  EXPECT_EQ(ReceiveRtp(*receiver, RtpOf(65535)), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtp(*receiver, RtpOf(65530)), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtp(*receiver, RtpOf(65536 + 2)), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtp(*receiver, RtpOf(65536 + 4)), UnprotectVerdict::kOk);
  for (const uint64_t index : {65530, 65535, 65538, 65539, 65540}) {
    EXPECT_EQ(ReceiveRtp(*receiver, RtpOf(index)), UnprotectVerdict::kReplayed) << index;
  }
}

// However many of the first packets are lost: up to one whole rollover.
TEST_P(SrtpRolloverTest, AnyPacketOfTheSecondRolloverMayBeTheFirst) {
  for (const uint64_t index : {65536, 65537, 80000, 98303, 98304, 131071}) {
    const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
    EXPECT_EQ(ReceiveRtp(*receiver, RtpOf(index)), UnprotectVerdict::kOk) << index;
    EXPECT_EQ(HighestOf(*receiver), index);
    EXPECT_EQ(ReceiveRtp(*receiver, RtpOf(index + 1)), UnprotectVerdict::kOk) << index;
  }
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
  EXPECT_EQ(ReceiveRtp(*receiver, RtpOf(131072)), UnprotectVerdict::kAuthFailed);
  EXPECT_TRUE(receiver->ExportStreams().empty());
}

TEST_P(SrtpRolloverTest, OnceKnownTheNeighbouringRolloversAreNotTried) {
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
  ASSERT_EQ(ReceiveRtp(*receiver, RtpOf(65536 + 10)), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtp(*receiver, RtpOf(20)), UnprotectVerdict::kAuthFailed);
  EXPECT_EQ(ReceiveRtp(*receiver, RtpOf(2 * 65536 + 20)), UnprotectVerdict::kAuthFailed);
  EXPECT_EQ(ReceiveRtp(*receiver, RtpOf(65536 + 20)), UnprotectVerdict::kOk);
}

// SRTCP says its index and tells nothing of the rollover counter.
TEST_P(SrtpRolloverTest, RtcpDoesNotMakeTheRolloverKnown) {
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
  ASSERT_EQ(ReceiveRtcp(*receiver, ProtectedRtcp(*MakeSender())), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtp(*receiver, RtpOf(65536 + 10)), UnprotectVerdict::kOk);
}

// An AEAD packet that did not open is destroyed, so a further trial needs a copy.
TEST_P(SrtpRolloverTest, WithoutScratchOnlyTheNearestRolloverIsTried) {
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
  PacketLoan taken = pipe_.scratch().Lend();
  const Bytes after_wrap = RtpOf(65536 + 3);
  const uint64_t exhausted = pipe_.scratch().exhausted();
  if (aead()) {
    EXPECT_EQ(ReceiveRtp(*receiver, after_wrap), UnprotectVerdict::kNoScratch);
    EXPECT_EQ(pipe_.scratch().exhausted(), exhausted + 1);
    EXPECT_TRUE(receiver->ExportStreams().empty());
    EXPECT_TRUE(std::equal(after_wrap.end() - 16, after_wrap.end(), opened_.end() - 16));
    taken.Return();
    EXPECT_EQ(ReceiveRtp(*receiver, after_wrap), UnprotectVerdict::kOk);
  } else {
    EXPECT_EQ(ReceiveRtp(*receiver, after_wrap), UnprotectVerdict::kOk);
    EXPECT_EQ(pipe_.scratch().exhausted(), exhausted);
  }
  taken = pipe_.scratch().Lend();
  EXPECT_EQ(ReceiveRtp(*receiver, RtpOf(7, 2)), UnprotectVerdict::kOk) << "nothing to try again";
}

TEST_P(SrtpRolloverTest, AStreamThatComesBackGetsItsRolloverBack) {
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver({.max_streams = 1});
  constexpr uint64_t kFar = 5 * 65536 + 100;
  for (uint64_t index = 100; index <= kFar; index += 30000) {
    ASSERT_EQ(ReceiveRtp(*receiver, RtpOf(index, 1)), UnprotectVerdict::kOk);
  }
  const uint64_t highest = HighestOf(*receiver, 1);
  ASSERT_GT(highest, 4u * 65536);
  ASSERT_EQ(ReceiveRtp(*receiver, RtpOf(1, 2)), UnprotectVerdict::kOk);
  ASSERT_EQ(receiver->ExportStreams().size(), 1u);
  // What it had received before, and all that is older, stays received.
  for (const uint64_t index : {highest, highest - 1, highest - 5000}) {
    EXPECT_NE(ReceiveRtp(*receiver, RtpOf(index, 1)), UnprotectVerdict::kOk) << index;
  }
  EXPECT_EQ(ReceiveRtp(*receiver, RtpOf(highest + 1, 1)), UnprotectVerdict::kOk);
  EXPECT_EQ(receiver->forgotten_streams(), 0u);
  // The other one lost its place for it, and comes back too.
  EXPECT_EQ(ReceiveRtp(*receiver, RtpOf(2, 2)), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtp(*receiver, RtpOf(highest + 2, 1)), UnprotectVerdict::kOk);
}

// It went on elsewhere meanwhile, and may be one rollover further.
TEST_P(SrtpRolloverTest, AStreamThatComesBackMayHaveWrappedMeanwhile) {
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver({.max_streams = 1});
  ASSERT_EQ(ReceiveRtp(*receiver, RtpOf(65536 + 1000, 1)), UnprotectVerdict::kOk);
  ASSERT_EQ(ReceiveRtp(*receiver, RtpOf(1, 2)), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtp(*receiver, RtpOf(3 * 65536 + 2000, 1)), UnprotectVerdict::kAuthFailed);
  EXPECT_EQ(ReceiveRtp(*receiver, RtpOf(2 * 65536 + 2000, 1)), UnprotectVerdict::kOk);
}

TEST_P(SrtpRolloverTest, RtcpIndicesComeBackToo) {
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver({.max_streams = 1});
  const std::unique_ptr<SrtpSender> sender = MakeSender();
  const Bytes first = ProtectedRtcp(*sender, 1);
  const Bytes second = ProtectedRtcp(*sender, 1);
  ASSERT_EQ(ReceiveRtcp(*receiver, second), UnprotectVerdict::kOk);
  ASSERT_EQ(ReceiveRtcp(*receiver, ProtectedRtcp(*sender, 2)), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtcp(*receiver, second), UnprotectVerdict::kReplayed);
  EXPECT_EQ(ReceiveRtcp(*receiver, first), UnprotectVerdict::kReplayed);
  EXPECT_EQ(ReceiveRtcp(*receiver, ProtectedRtcp(*sender, 1)), UnprotectVerdict::kOk);
}

TEST_P(SrtpRolloverTest, WhoIsForgottenIsTheOneLongestSilentAndCounted) {
  const std::unique_ptr<SrtpReceiver> receiver =
      MakeReceiver({.max_streams = 1, .remembered_streams = 2});
  constexpr uint64_t kIndex = 3 * 65536;
  // A rollover counter of 3 has to be come to in steps.
  const auto listen = [&](uint32_t ssrc) {
    for (uint64_t index = 30000; index <= kIndex; index += 30000) {
      ASSERT_EQ(ReceiveRtp(*receiver, RtpOf(index, ssrc)), UnprotectVerdict::kOk);
    }
  };
  for (const uint32_t ssrc : {1, 2, 3}) {
    listen(ssrc);
  }
  EXPECT_EQ(receiver->forgotten_streams(), 0u);
  listen(4);
  EXPECT_EQ(receiver->forgotten_streams(), 1u);
  EXPECT_EQ(ReceiveRtp(*receiver, RtpOf(kIndex, 1)), UnprotectVerdict::kAuthFailed);
  EXPECT_EQ(ReceiveRtp(*receiver, RtpOf(kIndex, 2)), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtp(*receiver, RtpOf(kIndex, 3)), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtp(*receiver, RtpOf(kIndex, 4)), UnprotectVerdict::kOk);
  EXPECT_EQ(receiver->forgotten_streams(), 1u);
}

// Forged SSRCs neither push anybody out nor are remembered.
TEST_P(SrtpRolloverTest, OnlyAuthenticatedPacketsMoveTheHistory) {
  const std::unique_ptr<SrtpReceiver> receiver =
      MakeReceiver({.max_streams = 1, .remembered_streams = 1});
  ASSERT_EQ(ReceiveRtp(*receiver, RtpOf(65536 + 5, 1)), UnprotectVerdict::kOk);
  ASSERT_EQ(ReceiveRtp(*receiver, RtpOf(5, 2)), UnprotectVerdict::kOk);
  for (uint32_t ssrc = 0; ssrc < 500; ++ssrc) {
    Bytes forged = RtpOf(ssrc, ssrc % 5);
    forged.back() ^= 1;
    ASSERT_NE(ReceiveRtp(*receiver, forged), UnprotectVerdict::kOk);
  }
  EXPECT_EQ(receiver->forgotten_streams(), 0u);
  EXPECT_EQ(ReceiveRtp(*receiver, RtpOf(65536 + 6, 1)), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtp(*receiver, RtpOf(6, 2)), UnprotectVerdict::kOk);
}

// RFC 3711 section 9.1: also an SSRC that lost its place after a rekey goes on where it ended.
TEST_P(SrtpRolloverTest, ASenderRemembersIndicesOverARekey) {
  const std::unique_ptr<SrtpSender> sender =
      MakeSender({.max_streams = 1, .remembered_streams = 1});
  for (const uint16_t sequence : {65535, 0, 1}) {
    ASSERT_EQ(SendRtp(*sender, sequence, 1), ProtectVerdict::kOk);
  }
  ASSERT_EQ(SendRtcp(*sender, 1), ProtectVerdict::kOk);
  ASSERT_TRUE(sender->Rekey(NewKey()).ok());
  ASSERT_EQ(SendRtp(*sender, 7, 2), ProtectVerdict::kOk);
  ASSERT_EQ(SendRtp(*sender, 2, 1), ProtectVerdict::kTooManyStreams);
  ASSERT_TRUE(sender->Rekey(NewKey()).ok());
  EXPECT_EQ(SendRtp(*sender, 1, 1), ProtectVerdict::kIndexReused);
  ASSERT_EQ(SendRtp(*sender, 2, 1), ProtectVerdict::kOk);
  const std::vector<SenderStreamState> streams = sender->ExportStreams();
  ASSERT_EQ(streams.size(), 1u);
  EXPECT_EQ(streams[0].rtp->highest, 65536u + 2);
  EXPECT_EQ(streams[0].next_rtcp_index, 1u);
  EXPECT_EQ(sender->forgotten_streams(), 0u);
  ASSERT_TRUE(sender->Rekey(NewKey()).ok());
  ASSERT_EQ(SendRtp(*sender, 7, 3), ProtectVerdict::kOk);
  EXPECT_EQ(sender->forgotten_streams(), 1u);
}

// The true index is known to the test alone: whatever is lost or late by less than half the space
// of sequence numbers, and wherever the stream begins, every packet opens once.
TEST_P(SrtpRolloverTest, FollowsTheTrueIndexUnderLossAndReordering) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(33);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  for (int stream = 0; stream < 40; ++stream) {
    const auto ssrc = static_cast<uint32_t>(stream);
    const std::unique_ptr<SrtpReceiver> receiver =
        MakeReceiver({.max_streams = 1, .rtp_replay_window = 32768});
    // The first packet that arrives is of rollover 0 or 1.
    uint64_t highest = random.Below(2 * 65536);
    ASSERT_EQ(ReceiveRtp(*receiver, RtpOf(highest, ssrc)), UnprotectVerdict::kOk);
    std::vector<uint64_t> seen = {highest};
    for (int i = 0; i < 60; ++i) {
      const uint64_t reach = random.Below(4) == 0 ? 32767 : 50;
      const uint64_t distance = 1 + random.Below(reach);
      const bool late = random.Below(3) == 0 && distance <= highest;
      const uint64_t index = late ? highest - distance : highest + distance;
      const bool again = std::find(seen.begin(), seen.end(), index) != seen.end();
      ASSERT_EQ(ReceiveRtp(*receiver, RtpOf(index, ssrc)),
                again ? UnprotectVerdict::kReplayed : UnprotectVerdict::kOk)
          << "stream " << stream << " highest " << highest << " index " << index;
      seen.push_back(index);
      highest = std::max(highest, index);
      ASSERT_EQ(HighestOf(*receiver, ssrc), highest);
    }
  }
}

}  // namespace
}  // namespace sluice
