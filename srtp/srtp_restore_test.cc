// Streams that go on in another process: what is exported, what is taken back, and that no index is
// used by both senders (RFC 3711 section 9.1).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/esrtcp_word.h"
#include "srtp/key_id.h"
#include "srtp/master_key.h"
#include "srtp/mki.h"
#include "srtp/packet_index.h"
#include "srtp/packet_kind.h"
#include "srtp/packet_layout.h"
#include "srtp/rtp_packet_view.h"
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
using ::testing::HasSubstr;

constexpr RestoreMargin kNoMargin = {.rtp = 0, .rtcp = 0};

class SrtpRestoreTest : public SrtpFixture {
 protected:
  // The index that a packet was protected with; nothing else opens.
  bool RtpHas(const Bytes& packet, uint64_t index) {
    Bytes bytes = packet;
    const RtpPacketView view = *RtpPacketView::ParseHeader(bytes);
    return cipher_.OpenRtp(absl::MakeSpan(bytes), view.header_size(), view.ssrc(),
                           PacketIndex(index));
  }
  Bytes RtpOf(uint64_t index, uint32_t ssrc = kSsrc) {
    Bytes bytes = PlainRtp(static_cast<uint16_t>(index), ssrc);
    const size_t header_size = bytes.size() - kPayloadSize;
    bytes.resize(bytes.size() + suite().rtp_tag_size);
    cipher_.SealRtp(absl::MakeSpan(bytes), header_size, Ssrc(ssrc), PacketIndex(index));
    return bytes;
  }
  SenderStreamState SenderState(uint64_t highest, uint32_t next_rtcp_index) const {
    return {Ssrc(kSsrc), IdOf(key_), WindowState{highest, {}}, next_rtcp_index};
  }
  ReceiverStreamState ReceiverState(uint64_t highest) const {
    return {Ssrc(kSsrc), IdOf(key_), WindowState{highest, {}}, std::nullopt};
  }

  SinglePacketCipher cipher_{key_, engine()};
};

INSTANTIATE_TEST_SUITE_P(All, SrtpRestoreTest, testing::ValuesIn(AllSuitesOnAllEngines()),
                         SuiteOnEngineName);

TEST_P(SrtpRestoreTest, ASenderWithoutMarginIsTheSameAgain) {
  const std::unique_ptr<SrtpSender> old = MakeSender({.replay_window = 128});
  for (const uint16_t sequence : {65500, 65530, 65535, 65533, 1, 0}) {
    ASSERT_EQ(SendRtp(*old, sequence, 1), ProtectVerdict::kOk);
  }
  ASSERT_EQ(SendRtcp(*old, 2), ProtectVerdict::kOk);
  ASSERT_EQ(SendRtcp(*old, 2), ProtectVerdict::kOk);
  const std::vector<SenderStreamState> states = old->ExportStreams();
  ASSERT_EQ(states.size(), 2u);
  EXPECT_EQ(states[0].ssrc, Ssrc(2));
  EXPECT_FALSE(states[0].rtp.has_value());
  EXPECT_EQ(states[0].next_rtcp_index, 2u);
  EXPECT_EQ(states[1].key, IdOf(key_));
  EXPECT_EQ(states[1].rtp->highest, 65537u);

  const std::unique_ptr<SrtpSender> restored = MakeSender({.replay_window = 128});
  ASSERT_TRUE(restored->RestoreStreams(states, kNoMargin).ok());
  EXPECT_TRUE(restored->ExportStreams() == states);
  EXPECT_EQ(SendRtp(*restored, 65533, 1), ProtectVerdict::kIndexReused);
  EXPECT_EQ(SendRtp(*restored, 65534, 1), ProtectVerdict::kOk);
  EXPECT_TRUE(RtpHas(sent_, 65534));
  EXPECT_EQ(SendRtp(*restored, 2, 1), ProtectVerdict::kOk);
  EXPECT_TRUE(RtpHas(sent_, 65538));
  EXPECT_EQ(SendRtcp(*restored, 2), ProtectVerdict::kOk);
  EXPECT_EQ(cipher_.ReadWord(sent_).index, SrtcpIndex(2));
}

TEST_P(SrtpRestoreTest, ASenderWithAWindowOfAnotherSizeTakesAllForUsed) {
  const std::unique_ptr<SrtpSender> old = MakeSender({.replay_window = 128});
  ASSERT_EQ(SendRtp(*old, 1000), ProtectVerdict::kOk);
  const std::unique_ptr<SrtpSender> restored = MakeSender({.replay_window = 256});
  ASSERT_TRUE(restored->RestoreStreams(old->ExportStreams(), kNoMargin).ok());
  EXPECT_EQ(SendRtp(*restored, 999), ProtectVerdict::kIndexReused);
  EXPECT_EQ(SendRtp(*restored, 1001), ProtectVerdict::kOk);
}

TEST_P(SrtpRestoreTest, TheMarginIsExact) {
  const std::unique_ptr<SrtpSender> restored = MakeSender();
  const RestoreMargin margin;
  ASSERT_TRUE(restored->RestoreStreams({SenderState(65000, 7)}, margin).ok());
  for (const uint64_t index : {65001ull, 65536ull, 65000ull + margin.rtp}) {
    EXPECT_EQ(SendRtp(*restored, static_cast<uint16_t>(index)), ProtectVerdict::kIndexReused);
  }
  EXPECT_EQ(SendRtp(*restored, static_cast<uint16_t>(65001 + margin.rtp)), ProtectVerdict::kOk);
  EXPECT_TRUE(RtpHas(sent_, 65001 + margin.rtp));
  EXPECT_EQ(SendRtcp(*restored), ProtectVerdict::kOk);
  EXPECT_EQ(cipher_.ReadWord(sent_).index, SrtcpIndex(7 + margin.rtcp));
}

// The old sender goes on for as long as the margin allows while the restored one sends already,
// what a source sends being reordered: two lists of packets without an index in common.
TEST_P(SrtpRestoreTest, OldAndRestoredSenderNeverUseTheSameIndex) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(91);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  for (int round = 0; round < 12; ++round) {
    const RestoreMargin margin = {.rtp = static_cast<uint32_t>(1 + random.Below(200)),
                                  .rtcp = static_cast<uint32_t>(1 + random.Below(20))};
    const std::unique_ptr<SrtpSender> old = MakeSender();
    const std::unique_ptr<SrtpSender> restored = MakeSender();
    uint64_t index = 65535 - random.Below(400);
    const uint64_t first = index;
    std::set<uint64_t> rtp;
    std::set<uint32_t> rtcp;
    // Also of an SSRC with a margin, an index is the one its packet would have anyway.
    const auto send = [&](SrtpSender& sender, uint64_t at) {
      if (SendRtp(sender, static_cast<uint16_t>(at)) == ProtectVerdict::kOk) {
        EXPECT_TRUE(RtpHas(sent_, at)) << at;
        EXPECT_TRUE(rtp.insert(at).second) << "index " << at << " twice";
      }
      if (random.Below(20) == 0 && SendRtcp(sender) == ProtectVerdict::kOk) {
        EXPECT_TRUE(rtcp.insert(cipher_.ReadWord(sent_).index.value()).second);
      }
    };
    const auto near = [&](uint64_t at) { return at - std::min(at - first, random.Below(30)); };
    for (int i = 0; i < 100; ++i) send(*old, near(index++));
    ASSERT_TRUE(restored->RestoreStreams(old->ExportStreams(), margin).ok());
    const uint64_t exported_at = old->ExportStreams()[0].rtp->highest;
    for (uint32_t i = 0; i < margin.rtcp; ++i) {
      ASSERT_EQ(SendRtcp(*old), ProtectVerdict::kOk);
      EXPECT_TRUE(rtcp.insert(cipher_.ReadWord(sent_).index.value()).second);
    }
    for (; index <= exported_at + margin.rtp; ++index) {
      if (random.Below(2) == 0) send(*restored, near(index));
      if (SendRtp(*old, static_cast<uint16_t>(index)) == ProtectVerdict::kOk) {
        EXPECT_TRUE(rtp.insert(index).second) << "index " << index << " twice";
      }
    }
    for (int i = 0; i < 100; ++i) send(*restored, near(index++));
    EXPECT_GT(rtp.size(), 100u);
  }
}

TEST_P(SrtpRestoreTest, AReceiverIsTheSameAgain) {
  const std::unique_ptr<SrtpReceiver> old = MakeReceiver();
  const std::unique_ptr<SrtpSender> sender = MakeSender();
  for (const uint64_t index : {65530, 65536, 65540, 65538}) {
    ASSERT_EQ(ReceiveRtp(*old, RtpOf(index, 1)), UnprotectVerdict::kOk);
  }
  const Bytes rtcp = ProtectedRtcp(*sender, 2);
  const Bytes late_rtcp = ProtectedRtcp(*sender, 2);
  ASSERT_EQ(ReceiveRtcp(*old, rtcp), UnprotectVerdict::kOk);
  ASSERT_EQ(ReceiveRtcp(*old, ProtectedRtcp(*sender, 2)), UnprotectVerdict::kOk);
  const std::vector<ReceiverStreamState> states = old->ExportStreams();
  const std::unique_ptr<SrtpReceiver> restored = MakeReceiver();
  ASSERT_TRUE(restored->RestoreStreams(states).ok());
  EXPECT_TRUE(restored->ExportStreams() == states);
  // Nothing opens again, and what was missing still does.
  for (const uint64_t index : {65530, 65536, 65540, 65538}) {
    EXPECT_NE(ReceiveRtp(*restored, RtpOf(index, 1)), UnprotectVerdict::kOk) << index;
  }
  EXPECT_EQ(ReceiveRtp(*restored, RtpOf(65539, 1)), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtp(*restored, RtpOf(65540, 1)), UnprotectVerdict::kReplayed);
  EXPECT_EQ(ReceiveRtp(*restored, RtpOf(65541, 1)), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtcp(*restored, rtcp), UnprotectVerdict::kReplayed);
  EXPECT_EQ(ReceiveRtcp(*restored, late_rtcp), UnprotectVerdict::kOk);
}

// The stream went on while nobody listened.
TEST_P(SrtpRestoreTest, ARestoredReceiverFindsAStreamThatWrappedMeanwhile) {
  const std::unique_ptr<SrtpReceiver> restored = MakeReceiver();
  ASSERT_TRUE(restored->RestoreStreams({ReceiverState(9 * 65536 + 500)}).ok());
  EXPECT_EQ(ReceiveRtp(*restored, RtpOf(10 * 65536 + 501)), UnprotectVerdict::kOk);
}

TEST_P(SrtpRestoreTest, TheOrderOfUseIsKept) {
  const std::unique_ptr<SrtpReceiver> old = MakeReceiver({.max_streams = 3});
  uint64_t index = 0;
  for (const uint32_t ssrc : {1, 2, 3, 1}) {
    ASSERT_EQ(ReceiveRtp(*old, RtpOf(index++, ssrc)), UnprotectVerdict::kOk);
  }
  const std::unique_ptr<SrtpReceiver> restored = MakeReceiver({.max_streams = 3});
  ASSERT_TRUE(restored->RestoreStreams(old->ExportStreams()).ok());
  ASSERT_EQ(ReceiveRtp(*restored, RtpOf(5, 4)), UnprotectVerdict::kOk);
  std::vector<uint32_t> ssrcs;
  for (const ReceiverStreamState& state : restored->ExportStreams()) {
    ssrcs.push_back(state.ssrc.value());
  }
  EXPECT_THAT(ssrcs, testing::ElementsAre(4, 1, 3));
}

TEST_P(SrtpRestoreTest, AReceiverTakesStatesOfAnyLiveKey) {
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
  ASSERT_TRUE(receiver->Rekey(NewKey()).ok());
  EXPECT_TRUE(receiver->RestoreStreams({ReceiverState(70000)}).ok());
  EXPECT_EQ(ReceiveRtp(*receiver, RtpOf(70001)), UnprotectVerdict::kOk);
}

// The other sender may have sent it with any of its keys, so its place is not given away before all
// of them are gone.
TEST_P(SrtpRestoreTest, ARestoredStreamKeepsItsPlaceWhileAnyOfTheKeysLives) {
  const Mki first = MkiOf({1});
  const Mki second = MkiOf({2});
  const std::unique_ptr<SrtpSender> sender = MakeSender({.max_streams = 1, .mki = first});
  ASSERT_TRUE(sender->AddKey(NewKey(), second).ok());
  ASSERT_TRUE(sender->RestoreStreams({SenderState(1000, 5)}, kNoMargin).ok());
  ASSERT_TRUE(sender->SendWith(second).ok());
  ASSERT_TRUE(sender->RetireKey(first).ok());
  EXPECT_EQ(SendRtp(*sender, 1, 7), ProtectVerdict::kTooManyStreams);
  EXPECT_EQ(SendRtp(*sender, 1000), ProtectVerdict::kIndexReused);
  EXPECT_EQ(SendRtp(*sender, 1001), ProtectVerdict::kOk);
}

TEST_P(SrtpRestoreTest, StatesThatCannotBeAreRefusedAsAWhole) {
  const SenderStreamState good = SenderState(1000, 5);
  const KeyId other_key = IdOf(NewKey());
  const auto expect = [&](const std::vector<SenderStreamState>& states, const RestoreMargin& margin,
                          const std::string& message) {
    const std::unique_ptr<SrtpSender> sender = MakeSender({.max_streams = 2});
    const absl::Status status = sender->RestoreStreams(states, margin);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << message;
    EXPECT_THAT(status.message(), HasSubstr(message));
    EXPECT_TRUE(sender->ExportStreams().empty());
  };
  SenderStreamState second = good;
  second.ssrc = Ssrc(2);
  SenderStreamState third = good;
  third.ssrc = Ssrc(3);
  expect({good, second, third}, kNoMargin, "3 streams, there is room for 2");
  expect({good, good}, kNoMargin, "is there already");
  second.rtp->highest = kMaxPacketIndex.value() + 1;
  expect({good, second}, kNoMargin, "stream 2 has an index out of range");
  second.rtp.reset();
  second.next_rtcp_index = kMaxSrtcpIndex.value() + 1;
  expect({good, second}, kNoMargin, "stream 2 has an index out of range");
  second = good;
  second.ssrc = Ssrc(2);
  second.key = other_key;
  expect({good, second}, kNoMargin, "stream 2 was sent with another key");
  expect({good}, {.rtp = RestoreMargin::kMaxRtp + 1}, "margin is 16385 RTP");
  expect({good}, {.rtcp = RestoreMargin::kMaxRtcp + 1}, "must be at most 16384 and 1048576");
}

TEST_P(SrtpRestoreTest, AReceiverRefusesStatesThatCannotBeAsAWhole) {
  const ReceiverStreamState good = ReceiverState(1000);
  const auto expect = [&](const std::vector<ReceiverStreamState>& states,
                          const std::string& message) {
    const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver({.max_streams = 2});
    const absl::Status status = receiver->RestoreStreams(states);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << message;
    EXPECT_THAT(status.message(), HasSubstr(message));
    EXPECT_TRUE(receiver->ExportStreams().empty());
  };
  ReceiverStreamState second = good;
  second.ssrc = Ssrc(2);
  ReceiverStreamState third = good;
  third.ssrc = Ssrc(3);
  expect({good, second, third}, "3 streams, there is room for 2");
  expect({good, good}, "is there already");
  second.rtp->highest = kMaxPacketIndex.value() + 1;
  expect({good, second}, "stream 2 has an index out of range");
  second.rtp.reset();
  second.rtcp = WindowState{uint64_t{kMaxSrtcpIndex.value()} + 1, {}};
  expect({good, second}, "stream 2 has an index out of range");
  second = good;
  second.ssrc = Ssrc(2);
  second.key = IdOf(NewKey());
  expect({good, second}, "stream 2 was received with another key");
}

// RFC 3711 section 9.2: the end of an index is an end and not a wrap.
TEST_P(SrtpRestoreTest, AtItsEndAnIndexDoesNotWrap) {
  const uint64_t last = kMaxPacketIndex.value();
  const std::unique_ptr<SrtpSender> sender = MakeSender();
  ASSERT_TRUE(
      sender->RestoreStreams({SenderState(last - 2, kMaxSrtcpIndex.value() - 1)}, kNoMargin).ok());
  const Bytes last_but_one = ProtectedRtp(*sender, 0xFFFE);
  EXPECT_TRUE(RtpHas(last_but_one, last - 1));
  for (const uint16_t sequence : {0xFFFF, 0, 1, 0x7000}) {
    EXPECT_EQ(SendRtp(*sender, sequence), ProtectVerdict::kKeyExhausted) << sequence;
    EXPECT_THAT(sent_, ElementsAreArray(PlainRtp(sequence)));
  }
  const Bytes rtcp = ProtectedRtcp(*sender);
  EXPECT_EQ(cipher_.ReadWord(rtcp).index, SrtcpIndex(kMaxSrtcpIndex.value() - 1));
  EXPECT_EQ(SendRtcp(*sender), ProtectVerdict::kKeyExhausted);
  EXPECT_THAT(sent_, ElementsAreArray(PlainRtcp()));

  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
  ASSERT_TRUE(receiver->RestoreStreams({ReceiverState(last - 2)}).ok());
  EXPECT_EQ(ReceiveRtp(*receiver, last_but_one), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtp(*receiver, RtpOf(last)), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtcp(*receiver, rtcp), UnprotectVerdict::kOk);
  for (const uint16_t sequence : {0, 1, 0x7000}) {
    const Bytes beyond = RtpOf(sequence);
    EXPECT_EQ(ReceiveRtp(*receiver, beyond), UnprotectVerdict::kKeyExhausted) << sequence;
    EXPECT_THAT(opened_, ElementsAreArray(beyond));
  }
}

// Nor does a margin wrap it.
TEST_P(SrtpRestoreTest, AMarginPastTheEndLeavesNothing) {
  const std::unique_ptr<SrtpSender> sender = MakeSender();
  ASSERT_TRUE(
      sender
          ->RestoreStreams({SenderState(kMaxPacketIndex.value() - 5, kMaxSrtcpIndex.value() - 5)},
                           RestoreMargin())
          .ok());
  for (uint32_t sequence = 0; sequence <= 0xFFFF; sequence += 257) {
    EXPECT_NE(SendRtp(*sender, static_cast<uint16_t>(sequence)), ProtectVerdict::kOk) << sequence;
  }
  EXPECT_EQ(SendRtcp(*sender), ProtectVerdict::kKeyExhausted);
}

}  // namespace
}  // namespace sluice
