// RTP and RTCP packets under AES in counter mode and HMAC-SHA1 (RFC 3711 sections 4.1.1, 4.2.1).

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/testing/seeded_random.h"
#include "base/testing/vector_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/crypto/boringssl_engine.h"
#include "srtp/esrtcp_word.h"
#include "srtp/key_derivation.h"
#include "srtp/packet_index.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/single_packet_cipher.h"

namespace sluice {
namespace {

using ::testing::ElementsAreArray;

constexpr size_t kHeaderSize = 12;
constexpr size_t kFirstHeaderSize = 8;
constexpr Ssrc kSsrc(0xCAFEBABE);

std::vector<uint8_t> RandomBytes(SeededRandom& random, size_t size) {
  std::vector<uint8_t> bytes(size);
  random.Fill(absl::MakeSpan(bytes));
  return bytes;
}

SessionKeys MakeKeys(absl::Span<const uint8_t> encryption, absl::Span<const uint8_t> authentication,
                     absl::Span<const uint8_t> salt) {
  SessionKeys keys;
  keys.encryption = *decltype(keys.encryption)::From(encryption);
  keys.authentication = *decltype(keys.authentication)::From(authentication);
  keys.salt = *decltype(keys.salt)::From(salt);
  return keys;
}

SessionKeys RandomKeys(SeededRandom& random) {
  return MakeKeys(RandomBytes(random, 16), RandomBytes(random, 20), RandomBytes(random, 14));
}

std::vector<uint8_t> Hmac(const SessionKeys& keys, absl::Span<const uint8_t> message) {
  std::vector<uint8_t> mac(20);
  unsigned size = 0;
  HMAC(EVP_sha1(), keys.authentication.data(), keys.authentication.size(), message.data(),
       message.size(), mac.data(), &size);
  return mac;
}

TEST(CounterModeVectorTest, KeystreamAgreesWithRfc3711AppendixB2) {
  ForEachVector("tests/vectors/rfc3711_aes_cm.txt", [](VectorBlock& block) {
    const std::vector<uint8_t> authentication(20, 0);
    const SessionKeys keys =
        MakeKeys(block.Bytes("session_key"), authentication, block.Bytes("session_salt"));
    BoringSslEngine engine;
    SinglePacketCipher cipher(GetCipherSuite(SuiteId::kAesCm128HmacSha1_80), keys, keys, engine);
    const PacketIndex index =
        MakeIndex(Roc(static_cast<uint32_t>(block.Number("roc"))),
                  SequenceNumber(static_cast<uint16_t>(block.Number("sequence"))));
    const Ssrc ssrc(static_cast<uint32_t>(block.Number("ssrc")));
    // Zeros, so that what comes out is the keystream.
    std::vector<uint8_t> packet(kHeaderSize + block.Number("segment_size") + 10);
    cipher.SealRtp(absl::MakeSpan(packet), kHeaderSize, ssrc, index);
    while (block.Has("block")) {
      const size_t offset = block.Number("block") * 16;
      const std::vector<uint8_t> expected = block.Bytes("keystream");
      ASSERT_LE(kHeaderSize + offset + expected.size(), packet.size() - 10);
      EXPECT_THAT(absl::MakeConstSpan(packet).subspan(kHeaderSize + offset, expected.size()),
                  ElementsAreArray(expected))
          << "offset " << offset;
    }
  });
}

class CounterModePacketTest : public testing::TestWithParam<SuiteId> {
 protected:
  const CipherSuite& suite() const { return GetCipherSuite(GetParam()); }

  SeededRandom random_{3711};
  const SessionKeys rtp_keys_ = RandomKeys(random_);
  const SessionKeys rtcp_keys_ = RandomKeys(random_);
  BoringSslEngine engine_;
  SinglePacketCipher cipher_{suite(), rtp_keys_, rtcp_keys_, engine_};
};

INSTANTIATE_TEST_SUITE_P(Suites, CounterModePacketTest,
                         testing::Values(SuiteId::kAesCm128HmacSha1_80,
                                         SuiteId::kAesCm128HmacSha1_32));

// RFC 3711 sections 3.1, 4.2 and 4.2.1.
TEST_P(CounterModePacketTest, RtpTagIsTheLeftPartOfHmacOverPacketAndRolloverCounter) {
  const size_t tag_size = suite().rtp_tag_size;
  for (size_t size = kHeaderSize; size < 200; ++size) {
    std::vector<uint8_t> packet = RandomBytes(random_, size + tag_size);
    const Roc roc(random_.NextU32());
    cipher_.SealRtp(absl::MakeSpan(packet), kHeaderSize, kSsrc, MakeIndex(roc, SequenceNumber(7)));
    std::vector<uint8_t> authenticated(packet.begin(), packet.end() - tag_size);
    authenticated.resize(size + 4);
    StoreBe32(authenticated.data() + size, roc.value());
    std::vector<uint8_t> tag = Hmac(rtp_keys_, authenticated);
    tag.resize(tag_size);
    ASSERT_THAT(absl::MakeConstSpan(packet).subspan(size), ElementsAreArray(tag)) << size;
  }
}

// RFC 3711 sections 3.4 and 4.2: no rollover counter, and 10 bytes whatever the RTP tag has.
TEST_P(CounterModePacketTest, RtcpTagIsTheLeftPartOfHmacOverPacketAndWord) {
  for (const bool encrypted : {true, false}) {
    for (size_t size = kFirstHeaderSize; size < 120; ++size) {
      const std::vector<uint8_t> plain = RandomBytes(random_, size);
      std::vector<uint8_t> packet = plain;
      packet.resize(size + 4 + 10);
      cipher_.SealRtcp(absl::MakeSpan(packet), kSsrc, {encrypted, SrtcpIndex(0x01020304)});
      EXPECT_EQ(LoadBe32(packet.data() + size), encrypted ? 0x81020304u : 0x01020304u);
      std::vector<uint8_t> tag = Hmac(rtcp_keys_, absl::MakeConstSpan(packet).first(size + 4));
      tag.resize(10);
      ASSERT_THAT(absl::MakeConstSpan(packet).subspan(size + 4), ElementsAreArray(tag)) << size;
      if (!encrypted) {
        EXPECT_THAT(absl::MakeConstSpan(packet).first(size), ElementsAreArray(plain));
      }
    }
  }
}

TEST_P(CounterModePacketTest, OpensWhatItSealed) {
  const PacketIndex index = MakeIndex(Roc(0xFFFFFFFF), SequenceNumber(0xFFFF));
  for (const size_t header_size : {12, 16, 72}) {
    for (size_t size = header_size; size < header_size + 100; ++size) {
      const std::vector<uint8_t> plain = RandomBytes(random_, size);
      std::vector<uint8_t> packet = plain;
      packet.resize(size + suite().rtp_tag_size);
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
      packet.resize(size + 14);
      cipher_.SealRtcp(absl::MakeSpan(packet), kSsrc, word);
      ASSERT_TRUE(cipher_.OpenRtcp(absl::MakeSpan(packet), kSsrc, word));
      ASSERT_THAT(absl::MakeConstSpan(packet).first(size), ElementsAreArray(plain));
    }
  }
}

TEST_P(CounterModePacketTest, FailedPacketStaysAsItWas) {
  const PacketIndex index = MakeIndex(Roc(1), SequenceNumber(2));
  std::vector<uint8_t> rtp = RandomBytes(random_, 60 + suite().rtp_tag_size);
  cipher_.SealRtp(absl::MakeSpan(rtp), kHeaderSize, kSsrc, index);
  for (size_t i = 0; i < rtp.size(); ++i) {
    std::vector<uint8_t> forged = rtp;
    forged[i] ^= 0x10;
    const std::vector<uint8_t> before = forged;
    EXPECT_FALSE(cipher_.OpenRtp(absl::MakeSpan(forged), kHeaderSize, kSsrc, index)) << i;
    EXPECT_THAT(forged, ElementsAreArray(before)) << i;
  }
  // Another rollover counter is another packet; another sequence number would be in the header.
  EXPECT_FALSE(cipher_.OpenRtp(absl::MakeSpan(rtp), kHeaderSize, kSsrc,
                               MakeIndex(Roc(2), SequenceNumber(2))));

  for (const bool encrypted : {true, false}) {
    const EsrtcpWord word{encrypted, SrtcpIndex(9)};
    std::vector<uint8_t> rtcp = RandomBytes(random_, 60);
    cipher_.SealRtcp(absl::MakeSpan(rtcp), kSsrc, word);
    for (size_t i = 0; i < rtcp.size(); ++i) {
      std::vector<uint8_t> forged = rtcp;
      forged[i] ^= 0x80;
      const std::vector<uint8_t> before = forged;
      const EsrtcpWord read = cipher_.ReadWord(forged);
      EXPECT_FALSE(cipher_.OpenRtcp(absl::MakeSpan(forged), kSsrc, read)) << i;
      EXPECT_THAT(forged, ElementsAreArray(before)) << i;
    }
  }
}

}  // namespace
}  // namespace sluice
