// How long a master key lasts: a soft limit that asks for a new one, a hard one that stops, and
// never a wrap (RFC 3711 section 9.2).

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/master_key.h"
#include "srtp/mki.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_index.h"
#include "srtp/packet_kind.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/rtp_types.h"
#include "srtp/srtp_policy.h"
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

class SrtpLifetimeTest : public SrtpFixture {
 protected:
  static SrtpPolicy ShortLived() {
    SrtpPolicy policy;
    policy.rtp_lifetime = {3, 5};
    policy.rtcp_lifetime = {2, 3};
    return policy;
  }
  std::unique_ptr<SrtpSender> MakeShortLivedSender(const Mki& mki = Mki()) {
    return MakeSender({.mki = mki, .policy = ShortLived()});
  }
  std::unique_ptr<SrtpReceiver> MakeShortLivedReceiver(const Mki& mki = Mki()) {
    return MakeReceiver({.mki = mki, .policy = ShortLived()});
  }
};

INSTANTIATE_TEST_SUITE_P(All, SrtpLifetimeTest, testing::ValuesIn(AllSuitesOnAllEngines()),
                         SuiteOnEngineName);

TEST_P(SrtpLifetimeTest, ASenderIsDueAtTheSoftLimitAndStopsAtTheHardOne) {
  const std::unique_ptr<SrtpSender> sender = MakeShortLivedSender();
  for (uint16_t i = 0; i < 5; ++i) {
    EXPECT_EQ(sender->rekey_due(), i >= 3) << i;
    // All SSRCs together.
    ASSERT_EQ(SendRtp(*sender, i, i % 2), ProtectVerdict::kOk);
  }
  const std::vector<SenderStreamState> before = sender->ExportStreams();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(SendRtp(*sender, 5, 7), ProtectVerdict::kRekeyNeeded);
    EXPECT_THAT(sent_, ElementsAreArray(PlainRtp(5, 7)));
  }
  EXPECT_TRUE(sender->ExportStreams() == before);
  EXPECT_TRUE(sender->rekey_due());
  // SRTCP has a count of its own.
  EXPECT_EQ(SendRtcp(*sender), ProtectVerdict::kOk);
}

TEST_P(SrtpLifetimeTest, RtcpIsCountedByItself) {
  const std::unique_ptr<SrtpSender> sender = MakeShortLivedSender();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(sender->rekey_due(), i >= 2) << i;
    ASSERT_EQ(SendRtcp(*sender), ProtectVerdict::kOk);
  }
  EXPECT_EQ(SendRtcp(*sender), ProtectVerdict::kRekeyNeeded);
  EXPECT_THAT(sent_, ElementsAreArray(PlainRtcp()));
  EXPECT_EQ(SendRtp(*sender, 1), ProtectVerdict::kOk);
}

// A packet that was refused spent no index: it goes out under the new key, with its rollover.
TEST_P(SrtpLifetimeTest, ARekeyGoesOnWithRolloverAndIndices) {
  const std::unique_ptr<SrtpSender> sender = MakeShortLivedSender();
  const std::unique_ptr<SrtpReceiver> receiver = MakeShortLivedReceiver();
  for (const uint16_t sequence : {65533, 65534, 65535, 0, 1}) {
    ASSERT_EQ(ReceiveRtp(*receiver, ProtectedRtp(*sender, sequence)), UnprotectVerdict::kOk);
  }
  ASSERT_EQ(SendRtp(*sender, 2), ProtectVerdict::kRekeyNeeded);
  const MasterKey next = NewKey();
  ASSERT_TRUE(sender->Rekey(next).ok());
  ASSERT_TRUE(receiver->Rekey(next).ok());
  EXPECT_FALSE(sender->rekey_due());
  EXPECT_FALSE(receiver->rekey_due());
  const Bytes packet = ProtectedRtp(*sender, 2);
  Bytes opened = packet;
  const RtpPacketView view = *RtpPacketView::ParseHeader(opened);
  EXPECT_TRUE(SinglePacketCipher(next, engine())
                  .OpenRtp(absl::MakeSpan(opened), view.header_size(), view.ssrc(),
                           MakeIndex(Roc(1), SequenceNumber(2))));
  EXPECT_EQ(ReceiveRtp(*receiver, packet), UnprotectVerdict::kOk);
  EXPECT_EQ(SendRtp(*sender, 2), ProtectVerdict::kIndexReused);
}

TEST_P(SrtpLifetimeTest, AReceiverIsDueAtTheSoftLimitAndStopsAtTheHardOne) {
  const std::unique_ptr<SrtpSender> sender = MakeSender();
  const std::unique_ptr<SrtpReceiver> receiver = MakeShortLivedReceiver();
  for (uint16_t i = 0; i < 5; ++i) {
    EXPECT_EQ(receiver->rekey_due(), i >= 3) << i;
    ASSERT_EQ(ReceiveRtp(*receiver, ProtectedRtp(*sender, i)), UnprotectVerdict::kOk);
  }
  const std::vector<ReceiverStreamState> before = receiver->ExportStreams();
  const Bytes refused = ProtectedRtp(*sender, 5);
  EXPECT_EQ(ReceiveRtp(*receiver, refused), UnprotectVerdict::kRekeyNeeded);
  EXPECT_THAT(opened_, ElementsAreArray(refused));
  // Also of an SSRC that nothing is known of; what was seen stays seen.
  EXPECT_EQ(ReceiveRtp(*receiver, ProtectedRtp(*sender, 5, 99)), UnprotectVerdict::kRekeyNeeded);
  EXPECT_TRUE(receiver->ExportStreams() == before);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(ReceiveRtcp(*receiver, ProtectedRtcp(*sender)), UnprotectVerdict::kOk);
  }
  const Bytes refused_rtcp = ProtectedRtcp(*sender);
  EXPECT_EQ(ReceiveRtcp(*receiver, refused_rtcp), UnprotectVerdict::kRekeyNeeded);
  EXPECT_THAT(opened_, ElementsAreArray(refused_rtcp));
}

TEST_P(SrtpLifetimeTest, PacketsThatDoNotOpenAreNotCounted) {
  const std::unique_ptr<SrtpSender> sender = MakeSender();
  const std::unique_ptr<SrtpReceiver> receiver = MakeShortLivedReceiver();
  const Bytes first = ProtectedRtp(*sender, 0);
  ASSERT_EQ(ReceiveRtp(*receiver, first), UnprotectVerdict::kOk);
  Bytes forged = ProtectedRtp(*sender, 1);
  forged.back() ^= 1;
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(ReceiveRtp(*receiver, forged), UnprotectVerdict::kAuthFailed);
    EXPECT_EQ(ReceiveRtp(*receiver, first), UnprotectVerdict::kReplayed);
  }
  EXPECT_FALSE(receiver->rekey_due());
  for (uint16_t i = 2; i < 6; ++i) {
    EXPECT_EQ(ReceiveRtp(*receiver, ProtectedRtp(*sender, i)), UnprotectVerdict::kOk);
  }
}

TEST_P(SrtpLifetimeTest, AnExpiredKeyOpensNothingThoughAnotherStillDoes) {
  const Mki first = MkiOf({1});
  const Mki second = MkiOf({2});
  const MasterKey next = NewKey();
  const std::unique_ptr<SrtpSender> sender = MakeShortLivedSender(first);
  const std::unique_ptr<SrtpSender> long_lived = MakeSender({.mki = first});
  const std::unique_ptr<SrtpReceiver> receiver = MakeShortLivedReceiver(first);
  ASSERT_TRUE(sender->AddKey(next, second).ok());
  ASSERT_TRUE(receiver->AddKey(next, second).ok());
  for (uint16_t i = 0; i < 5; ++i) {
    ASSERT_EQ(ReceiveRtp(*receiver, ProtectedRtp(*sender, i)), UnprotectVerdict::kOk);
    ASSERT_EQ(SendRtp(*long_lived, i), ProtectVerdict::kOk);
  }
  EXPECT_EQ(SendRtp(*sender, 5), ProtectVerdict::kRekeyNeeded);
  EXPECT_EQ(ReceiveRtp(*receiver, ProtectedRtp(*long_lived, 5)), UnprotectVerdict::kRekeyNeeded);
  EXPECT_TRUE(receiver->rekey_due());
  ASSERT_TRUE(sender->SendWith(second).ok());
  EXPECT_FALSE(sender->rekey_due());
  EXPECT_EQ(ReceiveRtp(*receiver, ProtectedRtp(*sender, 5)), UnprotectVerdict::kOk);
  ASSERT_TRUE(receiver->RetireKey(first).ok());
  EXPECT_FALSE(receiver->rekey_due());
}

// A key that expired while the next one is there already is not tried any more.
TEST_P(SrtpLifetimeTest, AnExpiredPreviousKeyOpensNothing) {
  const std::unique_ptr<SrtpSender> old_sender = MakeSender();
  const std::unique_ptr<SrtpReceiver> receiver = MakeShortLivedReceiver();
  for (uint16_t i = 0; i < 5; ++i) {
    ASSERT_EQ(ReceiveRtp(*receiver, ProtectedRtp(*old_sender, i)), UnprotectVerdict::kOk);
  }
  const Bytes late = ProtectedRtp(*old_sender, 5);
  const MasterKey next = NewKey();
  ASSERT_TRUE(receiver->Rekey(next).ok());
  EXPECT_EQ(ReceiveRtp(*receiver, late), UnprotectVerdict::kAuthFailed);
}

TEST_P(SrtpLifetimeTest, TheLimitIsExactWithinABatch) {
  const std::unique_ptr<SrtpSender> sender = MakeShortLivedSender();
  const std::unique_ptr<SrtpSender> long_lived = MakeSender();
  const std::unique_ptr<SrtpReceiver> receiver = MakeShortLivedReceiver();
  constexpr uint16_t kPackets = 8;
  PacketArena arena(kPackets);
  PacketLoan packets[kPackets];
  ProtectJob out[kPackets];
  UnprotectJob in[kPackets];
  for (uint16_t i = 0; i < kPackets; ++i) {
    packets[i] = arena.Lend();
    const Bytes plain = PlainRtp(i);
    ASSERT_TRUE(packets[i].Resize(plain.size()));
    std::copy(plain.begin(), plain.end(), packets[i].bytes().begin());
    out[i] = {sender.get(), &packets[i], PacketKind::kRtp, ProtectVerdict::kMalformed};
    in[i] = {receiver.get(), &packets[i], PacketKind::kRtp, UnprotectVerdict::kMalformed};
  }
  Protect(absl::MakeSpan(out), engine());
  for (uint16_t i = 0; i < kPackets; ++i) {
    EXPECT_EQ(out[i].verdict, i < 5 ? ProtectVerdict::kOk : ProtectVerdict::kRekeyNeeded) << i;
    if (out[i].verdict != ProtectVerdict::kOk) {
      out[i].sender = long_lived.get();
      Protect(absl::MakeSpan(&out[i], 1), engine());
    }
  }
  Unprotect(absl::MakeSpan(in), pipe_.scratch(), engine());
  for (uint16_t i = 0; i < kPackets; ++i) {
    EXPECT_EQ(in[i].verdict, i < 5 ? UnprotectVerdict::kOk : UnprotectVerdict::kRekeyNeeded) << i;
  }
}

TEST_P(SrtpLifetimeTest, LimitsOutOfRangeAreRefusedWithTheBound) {
  const auto message = [&](KeyLifetime rtp, KeyLifetime rtcp) {
    SrtpPolicy policy;
    policy.rtp_lifetime = rtp;
    policy.rtcp_lifetime = rtcp;
    const absl::Status sender = SrtpSender::Create(key_, {.policy = policy}, engine()).status();
    const absl::Status receiver = SrtpReceiver::Create(key_, {.policy = policy}, engine()).status();
    EXPECT_EQ(sender, receiver);
    return std::string(sender.message());
  };
  EXPECT_EQ(message({1, 1}, {0, 1}), "");
  EXPECT_THAT(message({0, 0}, {1, 1}), HasSubstr("rtp_lifetime.hard is 0, must be 1.."));
  EXPECT_THAT(message({1, kMaxRtpPacketsPerKey + 1}, {1, 1}), HasSubstr("281474976710656"));
  EXPECT_THAT(message({1, 1}, {1, kMaxRtcpPacketsPerKey + 1}), HasSubstr("2147483648"));
  EXPECT_THAT(message({3, 2}, {1, 1}), HasSubstr("soft is 3"));
}

}  // namespace
}  // namespace sluice
