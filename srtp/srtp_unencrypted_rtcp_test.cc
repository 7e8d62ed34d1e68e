// SRTCP that stays readable, by policy of both ends (RFC 3711 section 3.4).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/esrtcp_word.h"
#include "srtp/packet_kind.h"
#include "srtp/packet_layout.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"
#include "srtp/testing/single_packet_cipher.h"
#include "srtp/testing/srtp_fixture.h"
#include "srtp/verdict.h"

namespace sluice {
namespace {

using ::testing::ElementsAreArray;

class SrtpUnencryptedRtcpTest : public SrtpFixture {
 protected:
  EsrtcpWord WordOf(const Bytes& packet) {
    return SinglePacketCipher(key_, engine()).ReadWord(packet);
  }
  size_t WordOffset(const Bytes& packet) const {
    return packet.size() - LayoutOf(suite(), PacketKind::kRtcp, 0).word_from_end;
  }

  const std::unique_ptr<SrtpSender> encrypting_ = MakeSender();
  const std::unique_ptr<SrtpSender> readable_ = MakeSender({.encrypt_rtcp = false});
  const std::unique_ptr<SrtpReceiver> strict_ = MakeReceiver();
  const std::unique_ptr<SrtpReceiver> tolerant_ = MakeReceiver({.accept_unencrypted_rtcp = true});
};

INSTANTIATE_TEST_SUITE_P(All, SrtpUnencryptedRtcpTest, testing::ValuesIn(AllSuitesOnAllEngines()),
                         SuiteOnEngineName);

TEST_P(SrtpUnencryptedRtcpTest, IsReadableTaggedAndCounted) {
  for (uint32_t i = 0; i < 3; ++i) {
    const Bytes packet = ProtectedRtcp(*readable_);
    const Bytes plain = PlainRtcp();
    EXPECT_TRUE(std::equal(plain.begin(), plain.end(), packet.begin()));
    EXPECT_EQ(packet.size(), plain.size() + LayoutOf(suite(), PacketKind::kRtcp, 0).overhead);
    EXPECT_FALSE(WordOf(packet).encrypted);
    EXPECT_EQ(WordOf(packet).index, SrtcpIndex(i));
  }
}

// RTP has no such flag.
TEST_P(SrtpUnencryptedRtcpTest, LeavesRtpEncrypted) {
  EXPECT_EQ(ProtectedRtp(*readable_, 1), ProtectedRtp(*encrypting_, 1));
}

TEST_P(SrtpUnencryptedRtcpTest, IsForTheReceiversPolicyToTake) {
  const Bytes packet = ProtectedRtcp(*readable_);
  EXPECT_EQ(ReceiveRtcp(*strict_, packet), UnprotectVerdict::kUnencrypted);
  EXPECT_THAT(opened_, ElementsAreArray(packet));
  EXPECT_TRUE(strict_->ExportStreams().empty());
  EXPECT_EQ(ReceiveRtcp(*tolerant_, packet), UnprotectVerdict::kOk);
  EXPECT_THAT(opened_, ElementsAreArray(PlainRtcp()));
  EXPECT_EQ(ReceiveRtcp(*tolerant_, packet), UnprotectVerdict::kReplayed);
  // Who takes unencrypted packets takes encrypted ones, too.
  ASSERT_EQ(SendRtcp(*encrypting_), ProtectVerdict::kOk);
  EXPECT_EQ(ReceiveRtcp(*tolerant_, ProtectedRtcp(*encrypting_)), UnprotectVerdict::kOk);
  EXPECT_THAT(opened_, ElementsAreArray(PlainRtcp()));
}

TEST_P(SrtpUnencryptedRtcpTest, IsAuthenticatedLikeAnyOther) {
  const Bytes good = ProtectedRtcp(*readable_);
  for (size_t i = 4; i < good.size(); ++i) {
    Bytes bad = good;
    // Not the E flag, which is the next test.
    bad[i] ^= 1;
    EXPECT_EQ(ReceiveRtcp(*tolerant_, bad), UnprotectVerdict::kAuthFailed) << i;
    // Nothing would have been decrypted, so nothing is wiped.
    EXPECT_THAT(opened_, ElementsAreArray(bad));
  }
  EXPECT_EQ(ReceiveRtcp(*tolerant_, good), UnprotectVerdict::kOk);
}

// libsrtp#20: turning the flag does not make an encrypted packet an unencrypted one, nor back.
TEST_P(SrtpUnencryptedRtcpTest, TheFlagItselfIsAuthenticated) {
  Bytes cleared = ProtectedRtcp(*encrypting_);
  cleared[WordOffset(cleared)] ^= 0x80;
  EXPECT_EQ(ReceiveRtcp(*tolerant_, cleared), UnprotectVerdict::kAuthFailed);
  Bytes set = ProtectedRtcp(*readable_);
  set[WordOffset(set)] ^= 0x80;
  EXPECT_EQ(ReceiveRtcp(*tolerant_, set), UnprotectVerdict::kAuthFailed);
  EXPECT_EQ(ReceiveRtcp(*strict_, set), UnprotectVerdict::kAuthFailed);
}

}  // namespace
}  // namespace sluice
