#include "srtp/srtp_receiver.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/esrtcp_word.h"
#include "srtp/master_key.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/packet_layout.h"
#include "srtp/rtp_types.h"
#include "srtp/srtp_sender.h"
#include "srtp/testing/packet_builder.h"
#include "srtp/testing/single_packet_cipher.h"
#include "srtp/testing/srtp_fixture.h"
#include "srtp/verdict.h"

namespace sluice {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

class SrtpReceiverTest : public SrtpFixture {
 protected:
  // A packet of an index of the test's choice.
  Bytes RtcpOf(uint32_t index) {
    Bytes bytes = PlainRtcp();
    bytes.resize(bytes.size() + LayoutOf(suite(), PacketKind::kRtcp, 0).overhead);
    SinglePacketCipher(key_, engine())
        .SealRtcp(absl::MakeSpan(bytes), Ssrc(kSsrc), {true, SrtcpIndex(index)});
    return bytes;
  }

  const std::unique_ptr<SrtpSender> sender_ = MakeSender();
};

INSTANTIATE_TEST_SUITE_P(All, SrtpReceiverTest, testing::ValuesIn(AllSuitesOnAllEngines()),
                         SuiteOnEngineName);

TEST_P(SrtpReceiverTest, OpensWhatTheSenderProtected) {
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
  ASSERT_EQ(ReceiveRtp(*receiver, ProtectedRtp(*sender_, 7)), UnprotectVerdict::kOk);
  EXPECT_THAT(opened_, ElementsAreArray(PlainRtp(7)));
  ASSERT_EQ(ReceiveRtcp(*receiver, ProtectedRtcp(*sender_)), UnprotectVerdict::kOk);
  EXPECT_THAT(opened_, ElementsAreArray(PlainRtcp()));
}

TEST_P(SrtpReceiverTest, OpensPacketsWithoutPayload) {
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
  const Bytes rtp = RtpPacketBuilder().WithSsrc(kSsrc).Build();
  ASSERT_EQ(ReceiveRtp(*receiver, Protected(*sender_, PacketKind::kRtp, rtp)),
            UnprotectVerdict::kOk);
  EXPECT_THAT(opened_, ElementsAreArray(rtp));
  const Bytes rtcp = RtcpPacketBuilder().AddReceiverReport(kSsrc).Build();
  ASSERT_EQ(rtcp.size(), 8u);
  ASSERT_EQ(ReceiveRtcp(*receiver, Protected(*sender_, PacketKind::kRtcp, rtcp)),
            UnprotectVerdict::kOk);
  EXPECT_THAT(opened_, ElementsAreArray(rtcp));
}

TEST_P(SrtpReceiverTest, ShortPacketsAreMalformedAndStayAsTheyWere) {
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
  const Bytes rtp =
      Protected(*sender_, PacketKind::kRtp, RtpPacketBuilder().WithSsrc(kSsrc).Build());
  for (size_t size = 0; size < rtp.size(); ++size) {
    const Bytes cut(rtp.begin(), rtp.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(ReceiveRtp(*receiver, cut), UnprotectVerdict::kMalformed) << size;
    EXPECT_THAT(opened_, ElementsAreArray(cut));
  }
  const Bytes rtcp =
      Protected(*sender_, PacketKind::kRtcp, RtcpPacketBuilder().AddReceiverReport(kSsrc).Build());
  for (size_t size = 0; size < rtcp.size(); ++size) {
    const Bytes cut(rtcp.begin(), rtcp.begin() + static_cast<std::ptrdiff_t>(size));
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
  const Bytes ancient = ProtectedRtp(*sender_, 10);
  const Bytes old = ProtectedRtp(*sender_, 11);
  const Bytes newest = ProtectedRtp(*sender_, 10 + 1024);
  ASSERT_EQ(ReceiveRtp(*receiver, newest), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtp(*receiver, newest), UnprotectVerdict::kReplayed);
  EXPECT_THAT(opened_, ElementsAreArray(newest));
  EXPECT_EQ(ReceiveRtp(*receiver, ancient), UnprotectVerdict::kTooOld);
  EXPECT_THAT(opened_, ElementsAreArray(ancient));
  EXPECT_EQ(ReceiveRtp(*receiver, old), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtp(*receiver, old), UnprotectVerdict::kReplayed);
}

TEST_P(SrtpReceiverTest, WindowsOfEveryPowerOfTwoEndWhereTheySay) {
  for (size_t window = 64; window <= 32768; window *= 2) {
    SCOPED_TRACE(window);
    SrtpReceiverOptions options;
    options.max_streams = 1;
    options.rtp_replay_window = window;
    options.rtcp_replay_window = window;
    const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver(options);
    const std::unique_ptr<SrtpSender> sender = MakeSender({.replay_window = 32768});
    const uint16_t highest = 40000;
    const Bytes newest = ProtectedRtp(*sender, highest);
    const Bytes last = ProtectedRtp(*sender, static_cast<uint16_t>(highest - window + 1));
    ASSERT_EQ(ReceiveRtp(*receiver, newest), UnprotectVerdict::kOk);
    // Whatever its tag: the window is asked first.
    EXPECT_EQ(ReceiveRtp(*receiver, PlainRtp(static_cast<uint16_t>(highest - window))),
              UnprotectVerdict::kTooOld);
    EXPECT_EQ(ReceiveRtp(*receiver, last), UnprotectVerdict::kOk);
    EXPECT_EQ(ReceiveRtp(*receiver, last), UnprotectVerdict::kReplayed);

    const auto size = static_cast<uint32_t>(window);
    ASSERT_EQ(ReceiveRtcp(*receiver, RtcpOf(size)), UnprotectVerdict::kOk);
    EXPECT_EQ(ReceiveRtcp(*receiver, RtcpOf(size)), UnprotectVerdict::kReplayed);
    EXPECT_EQ(ReceiveRtcp(*receiver, RtcpOf(1)), UnprotectVerdict::kOk);
    EXPECT_EQ(ReceiveRtcp(*receiver, RtcpOf(0)), UnprotectVerdict::kTooOld);
  }
}

TEST_P(SrtpReceiverTest, FollowsRolloversOverLossAndReordering) {
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
  std::vector<Bytes> packets;
  for (const uint16_t sequence : {65000, 65535, 0, 1, 30000, 60000, 20000, 50000, 10000}) {
    packets.push_back(ProtectedRtp(*sender_, sequence));
  }
  for (const size_t i : {0, 2, 1, 3, 4, 5, 6, 7, 8}) {
    EXPECT_EQ(ReceiveRtp(*receiver, packets[i]), UnprotectVerdict::kOk) << i;
  }
}

TEST_P(SrtpReceiverTest, TheLeastRecentlyUsedSsrcGoesFirst) {
  SrtpReceiverOptions options;
  options.max_streams = 2;
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver(options);
  ASSERT_EQ(ReceiveRtp(*receiver, ProtectedRtp(*sender_, 1, 1)), UnprotectVerdict::kOk);
  ASSERT_EQ(ReceiveRtp(*receiver, ProtectedRtp(*sender_, 1, 2)), UnprotectVerdict::kOk);
  // RTCP is use of the SSRC, too.
  ASSERT_EQ(ReceiveRtcp(*receiver, ProtectedRtcp(*sender_, 1)), UnprotectVerdict::kOk);
  ASSERT_EQ(ReceiveRtp(*receiver, ProtectedRtp(*sender_, 1, 3)), UnprotectVerdict::kOk);
  const std::vector<ReceiverStreamState> streams = receiver->ExportStreams();
  ASSERT_EQ(streams.size(), 2u);
  EXPECT_EQ(streams[0].ssrc, Ssrc(3));
  EXPECT_EQ(streams[1].ssrc, Ssrc(1));
}

TEST_P(SrtpReceiverTest, OverARekeyBothKeysOpenUntilTheOldOneRetires) {
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
  ASSERT_EQ(ReceiveRtp(*receiver, ProtectedRtp(*sender_, 65535)), UnprotectVerdict::kOk);
  const Bytes late = ProtectedRtp(*sender_, 0);
  const Bytes later = ProtectedRtp(*sender_, 1);
  const Bytes late_rtcp = ProtectedRtcp(*sender_);
  const MasterKey next = NewKey();
  ASSERT_TRUE(sender_->Rekey(next).ok());
  ASSERT_TRUE(receiver->Rekey(next).ok());
  // The rollover counter goes on (RFC 3711 section 3.3.1).
  ASSERT_EQ(ReceiveRtp(*receiver, ProtectedRtp(*sender_, 2)), UnprotectVerdict::kOk);
  EXPECT_THAT(opened_, ElementsAreArray(PlainRtp(2)));
  ASSERT_EQ(ReceiveRtcp(*receiver, ProtectedRtcp(*sender_)), UnprotectVerdict::kOk);
  ASSERT_EQ(ReceiveRtp(*receiver, late), UnprotectVerdict::kOk);
  EXPECT_THAT(opened_, ElementsAreArray(PlainRtp(0)));
  // One window for both keys.
  EXPECT_EQ(ReceiveRtp(*receiver, late), UnprotectVerdict::kReplayed);
  ASSERT_EQ(ReceiveRtcp(*receiver, late_rtcp), UnprotectVerdict::kOk);
  EXPECT_THAT(opened_, ElementsAreArray(PlainRtcp()));

  receiver->RetirePreviousKey();
  EXPECT_EQ(ReceiveRtp(*receiver, later), UnprotectVerdict::kAuthFailed);
  EXPECT_EQ(ReceiveRtp(*receiver, ProtectedRtp(*sender_, 3)), UnprotectVerdict::kOk);
  receiver->RetirePreviousKey();
}

TEST_P(SrtpReceiverTest, OfThreeKeysTheOldestIsGone) {
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
  const Bytes with_first = ProtectedRtp(*sender_, 1);
  const MasterKey second = NewKey();
  ASSERT_TRUE(sender_->Rekey(second).ok());
  const Bytes with_second = ProtectedRtp(*sender_, 2);
  ASSERT_TRUE(receiver->Rekey(second).ok());
  ASSERT_TRUE(receiver->Rekey(NewKey()).ok());
  EXPECT_EQ(ReceiveRtp(*receiver, with_first), UnprotectVerdict::kAuthFailed);
  EXPECT_EQ(ReceiveRtp(*receiver, with_second), UnprotectVerdict::kOk);
}

// A second key can be tried only on a copy where the first one destroys what it does not open.
TEST_P(SrtpReceiverTest, WithoutScratchAnAeadPacketIsOpenedWithTheCurrentKeyOnly) {
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
  const Bytes with_old = ProtectedRtp(*sender_, 1);
  const Bytes rtcp_with_old = ProtectedRtcp(*sender_);
  const MasterKey next = NewKey();
  ASSERT_TRUE(sender_->Rekey(next).ok());
  ASSERT_TRUE(receiver->Rekey(next).ok());
  const Bytes with_new = ProtectedRtp(*sender_, 2);
  const Bytes rtcp_with_new = ProtectedRtcp(*sender_);
  PacketLoan taken = pipe_.scratch().Lend();
  const UnprotectVerdict old_verdict =
      aead() ? UnprotectVerdict::kNoScratch : UnprotectVerdict::kOk;
  EXPECT_EQ(ReceiveRtp(*receiver, with_new), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtcp(*receiver, rtcp_with_new), UnprotectVerdict::kOk);
  EXPECT_EQ(ReceiveRtp(*receiver, with_old), old_verdict);
  EXPECT_EQ(ReceiveRtcp(*receiver, rtcp_with_old), old_verdict);
  if (aead()) {
    taken.Return();
    EXPECT_EQ(ReceiveRtp(*receiver, with_old), UnprotectVerdict::kOk);
    EXPECT_EQ(ReceiveRtcp(*receiver, rtcp_with_old), UnprotectVerdict::kOk);
  }
}

TEST_P(SrtpReceiverTest, RekeyRefusesThePresentKeyAndOtherSuites) {
  const std::unique_ptr<SrtpReceiver> receiver = MakeReceiver();
  EXPECT_THAT(receiver->Rekey(key_).message(), HasSubstr("live"));
  for (const CipherSuite& other : kCipherSuites) {
    if (other.id != suite().id) {
      const absl::Status status = receiver->Rekey(MasterKey::Generate(other.id, random_));
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
      EXPECT_THAT(status.message(), HasSubstr(std::string(other.name)));
    }
  }
  EXPECT_EQ(ReceiveRtp(*receiver, ProtectedRtp(*sender_, 1)), UnprotectVerdict::kOk);
}

TEST_P(SrtpReceiverTest, OptionsHaveBounds) {
  const auto create = [&](size_t max_streams, size_t rtp_window, size_t rtcp_window,
                          size_t remembered) {
    SrtpReceiverOptions options;
    options.max_streams = max_streams;
    options.rtp_replay_window = rtp_window;
    options.rtcp_replay_window = rtcp_window;
    options.remembered_streams = remembered;
    return SrtpReceiver::Create(key_, options, engine()).status();
  };
  EXPECT_TRUE(create(1, 64, 64, 1).ok());
  EXPECT_TRUE(create(1024, 64, 64, 1024).ok());
  EXPECT_THAT(create(0, 64, 64, 1).message(), HasSubstr("1..1024"));
  EXPECT_THAT(create(1025, 64, 64, 1).message(), HasSubstr("max_streams is 1025"));
  EXPECT_THAT(create(1, 63, 64, 1).message(), HasSubstr("rtp_replay_window is 63"));
  EXPECT_THAT(create(1, 64, 65536, 1).message(), HasSubstr("rtcp_replay_window is 65536"));
  EXPECT_THAT(create(1, 64, 96, 1).message(), HasSubstr("power of two 64..32768"));
  EXPECT_THAT(create(1, 64, 64, 0).message(), HasSubstr("remembered_streams is 0"));
  EXPECT_THAT(create(1, 64, 64, 1025).message(), HasSubstr("remembered_streams is 1025"));
}

TEST_P(SrtpReceiverTest, BatchMayBelongToManyReceiversAndEveryJobGetsItsVerdict) {
  const std::unique_ptr<SrtpReceiver> one = MakeReceiver();
  const std::unique_ptr<SrtpReceiver> two = MakeReceiver();
  const Bytes rtp = ProtectedRtp(*sender_, 1);
  PacketLoan first = pipe_.Load(rtp);
  PacketLoan again = pipe_.Load(rtp);
  PacketLoan other = pipe_.Load(rtp);
  PacketLoan rtcp = pipe_.Load(ProtectedRtcp(*sender_));
  UnprotectJob jobs[] = {
      {one.get(), &first, PacketKind::kRtp, UnprotectVerdict::kMalformed},
      {one.get(), &again, PacketKind::kRtp, UnprotectVerdict::kMalformed},
      {two.get(), &other, PacketKind::kRtp, UnprotectVerdict::kMalformed},
      {one.get(), &rtcp, PacketKind::kRtcp, UnprotectVerdict::kMalformed},
  };
  Unprotect(absl::MakeSpan(jobs), pipe_.scratch(), engine());
  EXPECT_EQ(jobs[0].verdict, UnprotectVerdict::kOk);
  EXPECT_EQ(jobs[1].verdict, UnprotectVerdict::kReplayed);
  EXPECT_EQ(jobs[2].verdict, UnprotectVerdict::kOk);
  EXPECT_EQ(jobs[3].verdict, UnprotectVerdict::kOk);
  EXPECT_THAT(first.bytes(), ElementsAreArray(PlainRtp(1)));
  EXPECT_THAT(again.bytes(), ElementsAreArray(rtp));
  EXPECT_THAT(other.bytes(), ElementsAreArray(PlainRtp(1)));
  EXPECT_THAT(rtcp.bytes(), ElementsAreArray(PlainRtcp()));
  Unprotect({}, pipe_.scratch(), engine());
}

}  // namespace
}  // namespace sluice
