// RTP and RTCP packets under AES-GCM (RFC 7714).

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/testing/seeded_random.h"
#include "base/testing/vector_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/crypto/boringssl_engine.h"
#include "srtp/crypto/openssl_error.h"
#include "srtp/esrtcp_word.h"
#include "srtp/key_derivation.h"
#include "srtp/packet_index.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/single_packet_cipher.h"

namespace sluice {
namespace {

using ::testing::AnyOf;
using ::testing::Each;
using ::testing::ElementsAreArray;

constexpr size_t kHeaderSize = 12;
constexpr size_t kFirstHeaderSize = 8;
constexpr size_t kTagSize = 16;
constexpr Ssrc kSsrc(0xCAFEBABE);

std::vector<uint8_t> RandomBytes(SeededRandom& random, size_t size) {
  std::vector<uint8_t> bytes(size);
  random.Fill(absl::MakeSpan(bytes));
  return bytes;
}

SessionKeys MakeKeys(absl::Span<const uint8_t> encryption, absl::Span<const uint8_t> salt) {
  SessionKeys keys;
  keys.encryption = *decltype(keys.encryption)::From(encryption);
  keys.salt = *decltype(keys.salt)::From(salt);
  return keys;
}

// A vector's cipher; the same session keys for both kinds.
SinglePacketCipher CipherOf(VectorBlock& block, CryptoEngine& engine) {
  const CipherSuite* suite = FindCipherSuite(block.Text("suite"));
  EXPECT_NE(suite, nullptr);
  const SessionKeys keys = MakeKeys(block.Bytes("key"), block.Bytes("salt"));
  return SinglePacketCipher(*suite, keys, keys, engine);
}

TEST(GcmVectorTest, AgreesWithRfc7714Section16) {
  ForEachVector("tests/vectors/rfc7714_rtp.txt", [](VectorBlock& block) {
    EXPECT_THAT(block.Text("operation"),
                AnyOf("encryption", "decryption", "tagging", "verification"));
    BoringSslEngine engine;
    SinglePacketCipher cipher = CipherOf(block, engine);
    const Roc roc(static_cast<uint32_t>(block.Number("roc")));
    const size_t header_size = block.Number("header_size");
    const std::vector<uint8_t> plain = block.Bytes("packet");
    const std::vector<uint8_t> expected = block.Bytes("protected");
    const PacketIndex index = MakeIndex(roc, SequenceNumber(LoadBe16(plain.data() + 2)));
    const Ssrc ssrc(LoadBe32(plain.data() + 8));

    // All examples are of the same bytes in either direction, so each is held to both.
    std::vector<uint8_t> packet = plain;
    packet.resize(plain.size() + kTagSize);
    cipher.SealRtp(absl::MakeSpan(packet), header_size, ssrc, index);
    EXPECT_THAT(packet, ElementsAreArray(expected));
    EXPECT_TRUE(cipher.OpenRtp(absl::MakeSpan(packet), header_size, ssrc, index));
    EXPECT_THAT(absl::MakeConstSpan(packet).first(plain.size()), ElementsAreArray(plain));
  });
}

TEST(GcmVectorTest, AgreesWithRfc7714Section17) {
  ForEachVector("tests/vectors/rfc7714_rtcp.txt", [](VectorBlock& block) {
    EXPECT_THAT(block.Text("operation"),
                AnyOf("encryption", "decryption", "tagging", "verification"));
    BoringSslEngine engine;
    SinglePacketCipher cipher = CipherOf(block, engine);
    const EsrtcpWord word{block.Number("encrypted") == 1,
                          SrtcpIndex(static_cast<uint32_t>(block.Number("index")))};
    const std::vector<uint8_t> plain = block.Bytes("packet");
    const std::vector<uint8_t> expected = block.Bytes("protected");
    const Ssrc ssrc(LoadBe32(plain.data() + 4));

    std::vector<uint8_t> packet = plain;
    packet.resize(plain.size() + kTagSize + kEsrtcpWordSize);
    cipher.SealRtcp(absl::MakeSpan(packet), ssrc, word);
    EXPECT_THAT(packet, ElementsAreArray(expected));
    EXPECT_TRUE(cipher.OpenRtcp(absl::MakeSpan(packet), ssrc, word));
    EXPECT_THAT(absl::MakeConstSpan(packet).first(plain.size()), ElementsAreArray(plain));
  });
}

class GcmPacketTest : public testing::TestWithParam<SuiteId> {
 protected:
  const CipherSuite& suite() const { return GetCipherSuite(GetParam()); }
  SessionKeys RandomKeys() {
    return MakeKeys(RandomBytes(random_, suite().key_size), RandomBytes(random_, 12));
  }

  SeededRandom random_{7714};
  BoringSslEngine engine_;
  SinglePacketCipher cipher_{suite(), RandomKeys(), RandomKeys(), engine_};
};

INSTANTIATE_TEST_SUITE_P(Suites, GcmPacketTest,
                         testing::Values(SuiteId::kAeadAes128Gcm, SuiteId::kAeadAes256Gcm));

TEST_P(GcmPacketTest, OpensWhatItSealed) {
  const PacketIndex index = MakeIndex(Roc(0xFFFFFFFF), SequenceNumber(0xFFFF));
  for (const size_t header_size : {12, 16, 72}) {
    for (size_t size = header_size; size < header_size + 100; ++size) {
      const std::vector<uint8_t> plain = RandomBytes(random_, size);
      std::vector<uint8_t> packet = plain;
      packet.resize(size + kTagSize);
      cipher_.SealRtp(absl::MakeSpan(packet), header_size, kSsrc, index);
      EXPECT_THAT(absl::MakeConstSpan(packet).first(header_size),
                  ElementsAreArray(absl::MakeConstSpan(plain).first(header_size)));
      ASSERT_TRUE(cipher_.OpenRtp(absl::MakeSpan(packet), header_size, kSsrc, index));
      ASSERT_THAT(absl::MakeConstSpan(packet).first(size), ElementsAreArray(plain));
    }
  }
  for (const bool encrypted : {true, false}) {
    const EsrtcpWord word{encrypted, kMaxSrtcpIndex};
    for (size_t size = kFirstHeaderSize; size < 100; ++size) {
      const std::vector<uint8_t> plain = RandomBytes(random_, size);
      std::vector<uint8_t> packet = plain;
      packet.resize(size + kTagSize + kEsrtcpWordSize);
      cipher_.SealRtcp(absl::MakeSpan(packet), kSsrc, word);
      ASSERT_TRUE(cipher_.OpenRtcp(absl::MakeSpan(packet), kSsrc, word));
      ASSERT_THAT(absl::MakeConstSpan(packet).first(size), ElementsAreArray(plain));
    }
  }
}

TEST_P(GcmPacketTest, FailedPayloadIsZerosAndNothingElseChanges) {
  const PacketIndex index = MakeIndex(Roc(1), SequenceNumber(2));
  std::vector<uint8_t> rtp = RandomBytes(random_, 60 + kTagSize);
  cipher_.SealRtp(absl::MakeSpan(rtp), kHeaderSize, kSsrc, index);
  for (size_t i = 0; i < rtp.size(); ++i) {
    std::vector<uint8_t> forged = rtp;
    forged[i] ^= 0x10;
    std::vector<uint8_t> expected = forged;
    std::fill(expected.begin() + kHeaderSize, expected.end() - kTagSize, uint8_t{0});
    EXPECT_FALSE(cipher_.OpenRtp(absl::MakeSpan(forged), kHeaderSize, kSsrc, index)) << i;
    EXPECT_THAT(forged, ElementsAreArray(expected)) << i;
    EXPECT_FALSE(HasOpensslErrors());
  }
  const auto with_index = [&](Ssrc ssrc, PacketIndex other) {
    std::vector<uint8_t> packet = rtp;
    return cipher_.OpenRtp(absl::MakeSpan(packet), kHeaderSize, ssrc, other);
  };
  EXPECT_TRUE(with_index(kSsrc, index));
  EXPECT_FALSE(with_index(kSsrc, MakeIndex(Roc(1), SequenceNumber(3))));
  EXPECT_FALSE(with_index(kSsrc, MakeIndex(Roc(2), SequenceNumber(2))));
  EXPECT_FALSE(with_index(Ssrc(kSsrc.value() ^ 1), index));
}

TEST_P(GcmPacketTest, ForgedRtcpDoesNotOpen) {
  for (const bool encrypted : {true, false}) {
    const EsrtcpWord word{encrypted, SrtcpIndex(9)};
    std::vector<uint8_t> rtcp = RandomBytes(random_, 60);
    cipher_.SealRtcp(absl::MakeSpan(rtcp), kSsrc, word);
    for (size_t i = 0; i < rtcp.size(); ++i) {
      std::vector<uint8_t> forged = rtcp;
      forged[i] ^= 0x80;
      std::vector<uint8_t> expected = forged;
      const EsrtcpWord read = cipher_.ReadWord(forged);
      if (read.encrypted) {
        std::fill(expected.begin() + kFirstHeaderSize, expected.end() - kTagSize - kEsrtcpWordSize,
                  uint8_t{0});
      }
      EXPECT_FALSE(cipher_.OpenRtcp(absl::MakeSpan(forged), kSsrc, read)) << i;
      EXPECT_THAT(forged, ElementsAreArray(expected)) << i;
      EXPECT_FALSE(HasOpensslErrors());
    }
  }
}

}  // namespace
}  // namespace sluice
