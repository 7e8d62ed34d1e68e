#include "srtp/srtp_receiver.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/crypto/boringssl_engine.h"
#include "srtp/crypto/openssl_error.h"
#include "srtp/esrtcp_word.h"
#include "srtp/master_key.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/packet_layout.h"
#include "srtp/rtp_types.h"
#include "srtp/srtp_sender.h"
#include "srtp/testing/packet_builder.h"
#include "srtp/testing/single_packet_cipher.h"
#include "srtp/verdict.h"

namespace sluice {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

constexpr uint32_t kSsrc = 0xDECAFBAD;

using Bytes = std::vector<uint8_t>;

class SrtpReceiverTest : public testing::TestWithParam<SuiteId> {
 protected:
  const CipherSuite& suite() const { return GetCipherSuite(GetParam()); }

  std::unique_ptr<SrtpReceiver> MakeReceiver(const SrtpReceiverOptions& options = {}) {
    absl::StatusOr<std::unique_ptr<SrtpReceiver>> receiver =
        SrtpReceiver::Create(key_, options, engine_);
    EXPECT_TRUE(receiver.ok()) << receiver.status();
    return *std::move(receiver);
  }
  MasterKey NewKey() { return MasterKey::Generate(GetParam(), random_); }

  PacketLoan Load(absl::Span<const uint8_t> content) {
    PacketLoan packet = arena_.Lend();
    EXPECT_TRUE(packet && packet.Resize(content.size()));
    CopyBytes(packet.bytes(), content);
    return packet;
  }

  Bytes PlainRtp(uint16_t sequence, uint32_t ssrc = kSsrc) {
    return RtpPacketBuilder()
        .WithSsrc(ssrc)
        .WithSequence(sequence)
        .WithCsrcs({9})
        .AddOneByteExtension(1, {2})
        .WithPayloadSize(60)
        .Build();
  }
  Bytes PlainRtcp(uint32_t ssrc = kSsrc) {
    return RtcpPacketBuilder()
        .AddSenderReport(ssrc, 1, 2, 3, 4)
        .AddSourceDescription(ssrc, "x")
        .Build();
  }
  Bytes Protected(SrtpSender& sender, const Bytes& plain, PacketKind kind) {
    PacketLoan packet = Load(plain);
    ProtectJob job{&sender, &packet, kind, ProtectVerdict::kMalformed};
    Protect(absl::MakeSpan(&job, 1), engine_);
    EXPECT_EQ(job.verdict, ProtectVerdict::kOk);
    return Bytes(packet.bytes().begin(), packet.bytes().end());
  }
  Bytes ProtectedRtp(uint16_t sequence, uint32_t ssrc = kSsrc) {
    return Protected(*sender_, PlainRtp(sequence, ssrc), PacketKind::kRtp);
  }
  Bytes ProtectedRtcp(uint32_t ssrc = kSsrc) {
    return Protected(*sender_, PlainRtcp(ssrc), PacketKind::kRtcp);
  }

  // What is left of the packet goes to `opened_`.
  UnprotectVerdict Receive(SrtpReceiver& receiver, const Bytes& bytes, PacketKind kind) {
    PacketLoan packet = Load(bytes);
    UnprotectJob job{&receiver, &packet, kind, UnprotectVerdict::kMalformed};
    Unprotect(absl::MakeSpan(&job, 1), scratch_, engine_);
    EXPECT_EQ(scratch_.free(), scratch_.capacity());
    EXPECT_FALSE(HasOpensslErrors());
    opened_.assign(packet.bytes().begin(), packet.bytes().end());
    return job.verdict;
  }
  UnprotectVerdict ReceiveRtp(SrtpReceiver& receiver, const Bytes& bytes) {
    return Receive(receiver, bytes, PacketKind::kRtp);
  }
  UnprotectVerdict ReceiveRtcp(SrtpReceiver& receiver, const Bytes& bytes) {
    return Receive(receiver, bytes, PacketKind::kRtcp);
  }

  SeededRandom random_{100};
  BoringSslEngine engine_;
  PacketArena arena_{8};
  PacketArena scratch_{1};
  const MasterKey key_ = MasterKey::Generate(GetParam(), random_);
  const std::unique_ptr<SrtpSender> sender_ = *SrtpSender::Create(key_, {}, engine_);
  Bytes opened_;
};

INSTANTIATE_TEST_SUITE_P(Suites, SrtpReceiverTest,
                         testing::Values(SuiteId::kAesCm128HmacSha1_80,
                                         SuiteId::kAesCm128HmacSha1_32, SuiteId::kAeadAes128Gcm,
                                         SuiteId::kAeadAes256Gcm),
                         [](const testing::TestParamInfo<SuiteId>& tested) {
                           return std::string(GetCipherSuite(tested.param).name);
                         });

TEST_P(SrtpReceiverTest, OpensWhatTheSenderProtected) {
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
  ASSERT_EQ(ReceiveRtp(*receiver, ProtectedRtp(7)), UnprotectVerdict::kOk);
  EXPECT_THAT(opened_, ElementsAreArray(PlainRtp(7)));
  ASSERT_EQ(ReceiveRtcp(*receiver, ProtectedRtcp()), UnprotectVerdict::kOk);
  EXPECT_THAT(opened_, ElementsAreArray(PlainRtcp()));
}

TEST_P(SrtpReceiverTest, OpensPacketsWithoutPayload) {
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
  const Bytes rtp = RtpPacketBuilder().WithSsrc(kSsrc).Build();
  ASSERT_EQ(ReceiveRtp(*receiver, Protected(*sender_, rtp, PacketKind::kRtp)),
            UnprotectVerdict::kOk);
  EXPECT_THAT(opened_, ElementsAreArray(rtp));
  const Bytes rtcp = RtcpPacketBuilder().AddReceiverReport(kSsrc).Build();
  ASSERT_EQ(rtcp.size(), 8u);
  ASSERT_EQ(ReceiveRtcp(*receiver, Protected(*sender_, rtcp, PacketKind::kRtcp)),
            UnprotectVerdict::kOk);
  EXPECT_THAT(opened_, ElementsAreArray(rtcp));
}

TEST_P(SrtpReceiverTest, EveryDamagedBitIsNoticedAndChangesNothing) {
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
  const Bytes good = ProtectedRtp(7);
  for (size_t i = 0; i < good.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      Bytes bad = good;
      bad[i] ^= static_cast<uint8_t>(1 << bit);
      const UnprotectVerdict verdict = ReceiveRtp(*receiver, bad);
      EXPECT_TRUE(verdict == UnprotectVerdict::kAuthFailed ||
                  verdict == UnprotectVerdict::kMalformed)
          << "byte " << i << " bit " << bit << ": " << VerdictName(verdict);
      if (verdict == UnprotectVerdict::kMalformed || !suite().aead()) {
        EXPECT_THAT(opened_, ElementsAreArray(bad));
      } else {
        EXPECT_EQ(opened_.size(), bad.size());
      }
    }
  }
  EXPECT_EQ(ReceiveRtp(*receiver, good), UnprotectVerdict::kOk);

  const Bytes good_rtcp = ProtectedRtcp();
  const size_t flag = EsrtcpWordOffset(suite(), good_rtcp.size());
  for (size_t i = 0; i < good_rtcp.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      Bytes bad = good_rtcp;
      bad[i] ^= static_cast<uint8_t>(1 << bit);
      const UnprotectVerdict verdict = ReceiveRtcp(*receiver, bad);
      if (i == flag && bit == 7) {
        EXPECT_EQ(verdict, UnprotectVerdict::kUnencrypted);
      } else {
        EXPECT_TRUE(verdict == UnprotectVerdict::kAuthFailed ||
                    verdict == UnprotectVerdict::kMalformed)
            << "byte " << i << " bit " << bit << ": " << VerdictName(verdict);
      }
    }
  }
  EXPECT_EQ(ReceiveRtcp(*receiver, good_rtcp), UnprotectVerdict::kOk);
}

TEST_P(SrtpReceiverTest, FailedAeadPayloadIsWiped) {
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
  Bytes bad = ProtectedRtp(7);
  bad.back() ^= 1;
  ASSERT_EQ(ReceiveRtp(*receiver, bad), UnprotectVerdict::kAuthFailed);
  Bytes expected = bad;
  if (suite().aead()) {
    std::fill(expected.end() - 60 - 16, expected.end() - 16, uint8_t{0});
  }
  EXPECT_THAT(opened_, ElementsAreArray(expected));
}

TEST_P(SrtpReceiverTest, ShortPacketsAreMalformedAndStayAsTheyWere) {
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
  const Bytes rtp =
      Protected(*sender_, RtpPacketBuilder().WithSsrc(kSsrc).Build(), PacketKind::kRtp);
  for (size_t size = 0; size < rtp.size(); ++size) {
    const Bytes cut(rtp.begin(), rtp.begin() + size);
    EXPECT_EQ(ReceiveRtp(*receiver, cut), UnprotectVerdict::kMalformed) << size;
    EXPECT_THAT(opened_, ElementsAreArray(cut));
  }
  const Bytes rtcp =
      Protected(*sender_, RtcpPacketBuilder().AddReceiverReport(kSsrc).Build(), PacketKind::kRtcp);
  for (size_t size = 0; size < rtcp.size(); ++size) {
    const Bytes cut(rtcp.begin(), rtcp.begin() + size);
    EXPECT_EQ(ReceiveRtcp(*receiver, cut), UnprotectVerdict::kMalformed) << size;
    EXPECT_THAT(opened_, ElementsAreArray(cut));
  }
}

// The tag is not part of the header, however long the header says it is (libsrtp#32, #50, #181).
TEST_P(SrtpReceiverTest, HeaderMayNotReachIntoTheTag) {
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
  Bytes packet = RtpPacketBuilder().WithSsrc(kSsrc).WithPayloadSize(24).Build();
  packet[0] |= 0x0F;
  packet.resize(12 + 60 + suite().rtp_tag_size - 1);
  EXPECT_EQ(ReceiveRtp(*receiver, packet), UnprotectVerdict::kMalformed);
  packet.resize(packet.size() + 1);
  EXPECT_EQ(ReceiveRtp(*receiver, packet), UnprotectVerdict::kAuthFailed);
}

TEST_P(SrtpReceiverTest, ReplayedAndTooOldPacketsAreToldApart) {
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
  const Bytes ancient = ProtectedRtp(10);
  const Bytes old = ProtectedRtp(11);
  const Bytes newest = ProtectedRtp(10 + 1024);
  ASSERT_EQ(ReceiveRtp(*receiver, newest), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtp(*receiver, newest), UnprotectVerdict::kReplayed);
  EXPECT_THAT(opened_, ElementsAreArray(newest));
  EXPECT_EQ(ReceiveRtp(*receiver, ancient), UnprotectVerdict::kTooOld);
  EXPECT_EQ(ReceiveRtp(*receiver, old), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtp(*receiver, old), UnprotectVerdict::kReplayed);

  std::vector<Bytes> rtcp;
  for (int i = 0; i < 129; ++i) {
    rtcp.push_back(ProtectedRtcp());
  }
  ASSERT_EQ(ReceiveRtcp(*receiver, rtcp[128]), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtcp(*receiver, rtcp[128]), UnprotectVerdict::kReplayed);
  EXPECT_EQ(ReceiveRtcp(*receiver, rtcp[1]), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtcp(*receiver, rtcp[0]), UnprotectVerdict::kTooOld);
}

TEST_P(SrtpReceiverTest, FollowsRolloversOverLossAndReordering) {
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
  std::vector<Bytes> packets;
  for (const uint16_t sequence : {65000, 65535, 0, 1, 30000, 60000, 20000, 50000, 10000}) {
    packets.push_back(ProtectedRtp(sequence));
  }
  for (const size_t i : {0, 2, 1, 3, 4, 5, 6, 7, 8}) {
    EXPECT_EQ(ReceiveRtp(*receiver, packets[i]), UnprotectVerdict::kOk) << i;
  }
}

// A forger knows the SSRC and may choose any sequence number: sipsorcery#1663.
TEST_P(SrtpReceiverTest, ForgedPacketsMoveNeitherWindowNorRollover) {
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
  ASSERT_EQ(ReceiveRtp(*receiver, ProtectedRtp(100)), UnprotectVerdict::kOk);
  const Bytes next = ProtectedRtp(101);
  for (int i = 0; i < 2000; ++i) {
    Bytes forged = next;
    StoreBe16(forged.data() + 2, static_cast<uint16_t>(102 + i * 31));
    EXPECT_NE(ReceiveRtp(*receiver, forged), UnprotectVerdict::kOk);
  }
  EXPECT_EQ(ReceiveRtp(*receiver, next), UnprotectVerdict::kOk);
}

TEST_P(SrtpReceiverTest, ForgedPacketsMakeNoContexts) {
  SrtpReceiverOptions options;
  options.max_streams = 2;
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver(options);
  const Bytes first = ProtectedRtp(1, 1);
  ASSERT_EQ(ReceiveRtp(*receiver, first), UnprotectVerdict::kOk);
  for (uint32_t ssrc = 2; ssrc < 5000; ++ssrc) {
    Bytes forged = first;
    StoreBe32(forged.data() + 8, ssrc);
    EXPECT_EQ(ReceiveRtp(*receiver, forged), UnprotectVerdict::kAuthFailed);
  }
  // Had one of them taken its place, this would be fresh.
  EXPECT_EQ(ReceiveRtp(*receiver, first), UnprotectVerdict::kReplayed);
}

TEST_P(SrtpReceiverTest, TheLeastRecentlyUsedSsrcGoesFirst) {
  SrtpReceiverOptions options;
  options.max_streams = 2;
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver(options);
  const Bytes one = ProtectedRtp(1, 1);
  const Bytes two = ProtectedRtp(1, 2);
  ASSERT_EQ(ReceiveRtp(*receiver, one), UnprotectVerdict::kOk);
  ASSERT_EQ(ReceiveRtp(*receiver, two), UnprotectVerdict::kOk);
  // RTCP is use of the SSRC, too.
  ASSERT_EQ(ReceiveRtcp(*receiver, ProtectedRtcp(1)), UnprotectVerdict::kOk);
  ASSERT_EQ(ReceiveRtp(*receiver, ProtectedRtp(1, 3)), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtp(*receiver, one), UnprotectVerdict::kReplayed);
  EXPECT_EQ(ReceiveRtp(*receiver, two), UnprotectVerdict::kOk) << "its window was forgotten";
}

TEST_P(SrtpReceiverTest, UnencryptedRtcpIsForTheOptionToAllow) {
  const std::unique_ptr<SrtpReceiver> strict = MakeReceiver();
  SrtpReceiverOptions options;
  options.accept_unencrypted_rtcp = true;
  const std::unique_ptr<SrtpReceiver> tolerant = MakeReceiver(options);

  const Bytes plain = PlainRtcp();
  Bytes tagged = plain;
  tagged.resize(plain.size() + LayoutOf(suite(), PacketKind::kRtcp, 0).overhead);
  SinglePacketCipher(key_, engine_)
      .SealRtcp(absl::MakeSpan(tagged), Ssrc(kSsrc), {false, SrtcpIndex(5)});

  EXPECT_EQ(ReceiveRtcp(*strict, tagged), UnprotectVerdict::kUnencrypted);
  EXPECT_THAT(opened_, ElementsAreArray(tagged));
  Bytes forged = tagged;
  forged[20] ^= 1;
  EXPECT_EQ(ReceiveRtcp(*tolerant, forged), UnprotectVerdict::kAuthFailed);
  EXPECT_THAT(opened_, ElementsAreArray(forged));
  EXPECT_EQ(ReceiveRtcp(*tolerant, tagged), UnprotectVerdict::kOk);
  EXPECT_THAT(opened_, ElementsAreArray(plain));
  EXPECT_EQ(ReceiveRtcp(*tolerant, tagged), UnprotectVerdict::kReplayed);

  // libsrtp#20: clearing the flag of an encrypted packet does not make it an unencrypted one.
  Bytes cleared = ProtectedRtcp();
  cleared[EsrtcpWordOffset(suite(), cleared.size())] &= 0x7F;
  EXPECT_EQ(ReceiveRtcp(*tolerant, cleared), UnprotectVerdict::kAuthFailed);
}

TEST_P(SrtpReceiverTest, OverARekeyBothKeysOpenUntilTheOldOneRetires) {
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
  ASSERT_EQ(ReceiveRtp(*receiver, ProtectedRtp(65535)), UnprotectVerdict::kOk);
  const Bytes late = ProtectedRtp(0);
  const Bytes later = ProtectedRtp(1);
  const Bytes late_rtcp = ProtectedRtcp();
  const MasterKey next = NewKey();
  ASSERT_TRUE(sender_->Rekey(next).ok());
  ASSERT_TRUE(receiver->Rekey(next).ok());
  // The rollover counter goes on (RFC 3711 section 3.3.1).
  ASSERT_EQ(ReceiveRtp(*receiver, ProtectedRtp(2)), UnprotectVerdict::kOk);
  EXPECT_THAT(opened_, ElementsAreArray(PlainRtp(2)));
  ASSERT_EQ(ReceiveRtcp(*receiver, ProtectedRtcp()), UnprotectVerdict::kOk);
  ASSERT_EQ(ReceiveRtp(*receiver, late), UnprotectVerdict::kOk);
  EXPECT_THAT(opened_, ElementsAreArray(PlainRtp(0)));
  // One window for both keys.
  EXPECT_EQ(ReceiveRtp(*receiver, late), UnprotectVerdict::kReplayed);
  ASSERT_EQ(ReceiveRtcp(*receiver, late_rtcp), UnprotectVerdict::kOk);
  EXPECT_THAT(opened_, ElementsAreArray(PlainRtcp()));

  receiver->RetirePreviousKey();
  EXPECT_EQ(ReceiveRtp(*receiver, later), UnprotectVerdict::kAuthFailed);
  EXPECT_EQ(ReceiveRtp(*receiver, ProtectedRtp(3)), UnprotectVerdict::kOk);
  receiver->RetirePreviousKey();
}

TEST_P(SrtpReceiverTest, OfThreeKeysTheOldestIsGone) {
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
  const Bytes with_first = ProtectedRtp(1);
  const MasterKey second = NewKey();
  ASSERT_TRUE(sender_->Rekey(second).ok());
  const Bytes with_second = ProtectedRtp(2);
  ASSERT_TRUE(receiver->Rekey(second).ok());
  ASSERT_TRUE(receiver->Rekey(NewKey()).ok());
  EXPECT_EQ(ReceiveRtp(*receiver, with_first), UnprotectVerdict::kAuthFailed);
  EXPECT_EQ(ReceiveRtp(*receiver, with_second), UnprotectVerdict::kOk);
}

TEST_P(SrtpReceiverTest, WithoutScratchAnAeadPacketOfTwoKeysStaysAsItWas) {
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
  const Bytes packet = ProtectedRtp(1);
  ASSERT_TRUE(receiver->Rekey(NewKey()).ok());
  const PacketLoan taken = scratch_.Lend();
  PacketLoan loan = Load(packet);
  UnprotectJob job{receiver.get(), &loan, PacketKind::kRtp, UnprotectVerdict::kMalformed};
  Unprotect(absl::MakeSpan(&job, 1), scratch_, engine_);
  if (suite().aead()) {
    EXPECT_EQ(job.verdict, UnprotectVerdict::kNoScratch);
    EXPECT_THAT(loan.bytes(), ElementsAreArray(packet));
  } else {
    EXPECT_EQ(job.verdict, UnprotectVerdict::kOk);
  }
}

TEST_P(SrtpReceiverTest, RekeyRefusesThePresentKeyAndOtherSuites) {
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
  EXPECT_THAT(receiver->Rekey(key_).message(), HasSubstr("live"));
  for (const CipherSuite& other : kCipherSuites) {
    if (other.id != GetParam()) {
      const absl::Status status = receiver->Rekey(MasterKey::Generate(other.id, random_));
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
      EXPECT_THAT(status.message(), HasSubstr(std::string(other.name)));
    }
  }
  EXPECT_EQ(ReceiveRtp(*receiver, ProtectedRtp(1)), UnprotectVerdict::kOk);
}

TEST_P(SrtpReceiverTest, OptionsHaveBounds) {
  const auto create = [&](size_t max_streams, size_t rtp_window, size_t rtcp_window) {
    SrtpReceiverOptions options;
    options.max_streams = max_streams;
    options.rtp_replay_window = rtp_window;
    options.rtcp_replay_window = rtcp_window;
    return SrtpReceiver::Create(key_, options, engine_).status();
  };
  EXPECT_TRUE(create(1, 64, 64).ok());
  EXPECT_TRUE(create(1024, 32768, 32768).ok());
  EXPECT_THAT(create(0, 64, 64).message(), HasSubstr("1..1024"));
  EXPECT_THAT(create(1025, 64, 64).message(), HasSubstr("max_streams is 1025"));
  EXPECT_THAT(create(1, 63, 64).message(), HasSubstr("rtp_replay_window is 63"));
  EXPECT_THAT(create(1, 64, 65536).message(), HasSubstr("rtcp_replay_window is 65536"));
  EXPECT_THAT(create(1, 64, 96).message(), HasSubstr("power of two 64..32768"));
}

TEST_P(SrtpReceiverTest, BatchMayBelongToManyReceiversAndEveryJobGetsItsVerdict) {
  const std::unique_ptr<SrtpReceiver> one = MakeReceiver();
  const std::unique_ptr<SrtpReceiver> two = MakeReceiver();
  const Bytes rtp = ProtectedRtp(1);
  PacketLoan first = Load(rtp);
  PacketLoan again = Load(rtp);
  PacketLoan other = Load(rtp);
  PacketLoan rtcp = Load(ProtectedRtcp());
  UnprotectJob jobs[] = {
      {one.get(), &first, PacketKind::kRtp, UnprotectVerdict::kMalformed},
      {one.get(), &again, PacketKind::kRtp, UnprotectVerdict::kMalformed},
      {two.get(), &other, PacketKind::kRtp, UnprotectVerdict::kMalformed},
      {one.get(), &rtcp, PacketKind::kRtcp, UnprotectVerdict::kMalformed},
  };
  Unprotect(absl::MakeSpan(jobs), scratch_, engine_);
  EXPECT_EQ(jobs[0].verdict, UnprotectVerdict::kOk);
  EXPECT_EQ(jobs[1].verdict, UnprotectVerdict::kReplayed);
  EXPECT_EQ(jobs[2].verdict, UnprotectVerdict::kOk);
  EXPECT_EQ(jobs[3].verdict, UnprotectVerdict::kOk);
  Unprotect({}, scratch_, engine_);
}

}  // namespace
}  // namespace sluice
