#include "srtp/packet_cipher.h"

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/packet_index.h"

namespace sluice {
namespace {

using ::testing::ElementsAreArray;

constexpr Ssrc kSsrc(0x01020304);

TEST(PacketCipherTest, OverheadIsTagAndForRtcpTheWord) {
  const auto overhead = [](SuiteId suite, PacketKind kind) {
    return ProtectionOverhead(GetCipherSuite(suite), kind);
  };
  EXPECT_EQ(overhead(SuiteId::kAesCm128HmacSha1_80, PacketKind::kRtp), 10u);
  EXPECT_EQ(overhead(SuiteId::kAesCm128HmacSha1_32, PacketKind::kRtp), 4u);
  EXPECT_EQ(overhead(SuiteId::kAeadAes128Gcm, PacketKind::kRtp), 16u);
  EXPECT_EQ(overhead(SuiteId::kAeadAes256Gcm, PacketKind::kRtp), 16u);
  EXPECT_EQ(overhead(SuiteId::kAesCm128HmacSha1_80, PacketKind::kRtcp), 14u);
  EXPECT_EQ(overhead(SuiteId::kAesCm128HmacSha1_32, PacketKind::kRtcp), 14u);
  EXPECT_EQ(overhead(SuiteId::kAeadAes128Gcm, PacketKind::kRtcp), 20u);
  EXPECT_EQ(overhead(SuiteId::kAeadAes256Gcm, PacketKind::kRtcp), 20u);
}

TEST(PacketCipherTest, SupportsWhatEncrypts) {
  for (const CipherSuite& suite : kCipherSuites) {
    EXPECT_EQ(PacketCipher::Supports(suite),
              suite.id != SuiteId::kNullHmacSha1_80 && suite.id != SuiteId::kNullHmacSha1_32)
        << suite.name;
  }
}

TEST(PacketCipherTest, TwoOfOneMasterKeyOpenEachOthersPacketsAndNobodyElsesDo) {
  SeededRandom random(5);
  const PacketIndex index = MakeIndex(Roc(3), SequenceNumber(4));
  const EsrtcpWord word{true, SrtcpIndex(5)};
  for (const CipherSuite& suite : kCipherSuites) {
    if (!PacketCipher::Supports(suite)) {
      continue;
    }
    SCOPED_TRACE(suite.name);
    const MasterKey key = MasterKey::Generate(suite.id, random);
    const PacketCipher sender(key);
    const PacketCipher receiver(key);
    const PacketCipher stranger(MasterKey::Generate(suite.id, random));

    std::vector<uint8_t> plain(100);
    random.Fill(absl::MakeSpan(plain));
    std::vector<uint8_t> rtp = plain;
    rtp.resize(plain.size() + sender.overhead(PacketKind::kRtp));
    sender.SealRtp(absl::MakeSpan(rtp), 12, kSsrc, index);
    std::vector<uint8_t> copy = rtp;
    EXPECT_FALSE(stranger.OpenRtp(absl::MakeSpan(copy), 12, kSsrc, index));
    EXPECT_EQ(copy != rtp, stranger.failed_open_destroys());
    EXPECT_TRUE(receiver.OpenRtp(absl::MakeSpan(rtp), 12, kSsrc, index));
    EXPECT_THAT(absl::MakeConstSpan(rtp).first(plain.size()), ElementsAreArray(plain));

    std::vector<uint8_t> rtcp = plain;
    rtcp.resize(plain.size() + sender.overhead(PacketKind::kRtcp));
    sender.SealRtcp(absl::MakeSpan(rtcp), kSsrc, word);
    copy = rtcp;
    EXPECT_FALSE(stranger.OpenRtcp(absl::MakeSpan(copy), kSsrc, word));
    EXPECT_TRUE(receiver.OpenRtcp(absl::MakeSpan(rtcp), kSsrc, word));
    EXPECT_THAT(absl::MakeConstSpan(rtcp).first(plain.size()), ElementsAreArray(plain));
  }
}

// RFC 3711 section 4.3: what is known of one keystream must say nothing of the other.
TEST(PacketCipherTest, RtpAndRtcpHaveKeysOfTheirOwn) {
  SeededRandom random(6);
  for (const CipherSuite& suite : kCipherSuites) {
    if (!PacketCipher::Supports(suite)) {
      continue;
    }
    const PacketCipher cipher(MasterKey::Generate(suite.id, random));
    // Zeros, so that what comes out is the keystream of index 1.
    std::vector<uint8_t> rtp(8 + 32 + cipher.overhead(PacketKind::kRtp));
    std::vector<uint8_t> rtcp(8 + 32 + cipher.overhead(PacketKind::kRtcp));
    cipher.SealRtp(absl::MakeSpan(rtp), 8, kSsrc, PacketIndex(1));
    cipher.SealRtcp(absl::MakeSpan(rtcp), kSsrc, {true, SrtcpIndex(1)});
    EXPECT_NE(absl::MakeConstSpan(rtp).subspan(8, 32), absl::MakeConstSpan(rtcp).subspan(8, 32))
        << suite.name;
  }
}

}  // namespace
}  // namespace sluice
