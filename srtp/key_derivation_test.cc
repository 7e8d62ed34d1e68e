#include "srtp/key_derivation.h"

#include <openssl/aes.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "base/testing/vector_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/master_key.h"
#include "srtp/packet_kind.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

using ::testing::Contains;
using ::testing::ElementsAreArray;
using ::testing::Not;

using Bytes = std::vector<uint8_t>;

MasterKey JoinKeyAndSalt(SuiteId suite, Bytes key, const Bytes& salt) {
  key.insert(key.end(), salt.begin(), salt.end());
  absl::StatusOr<MasterKey> master = MasterKey::Create(suite, key);
  EXPECT_TRUE(master.ok()) << master.status();
  return *std::move(master);
}

Bytes Derived(const MasterKey& master, KeyLabel label, uint64_t quotient, size_t size) {
  Bytes key(size);
  DeriveKey(master, label, quotient, absl::MakeSpan(key));
  return key;
}

class PublishedKeyDerivationTest : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Rfcs, PublishedKeyDerivationTest,
                         testing::Values("tests/vectors/rfc3711_key_derivation.txt",
                                         "tests/vectors/rfc6188_key_derivation.txt",
                                         "tests/vectors/rfc6904_key_derivation.txt"));

TEST_P(PublishedKeyDerivationTest, IsOurs) {
  ForEachVector(GetParam(), [](VectorBlock& block) {
    const Bytes key = block.Bytes("master_key");
    const SuiteId suite = key.size() == 16   ? SuiteId::kAesCm128HmacSha1_80
                          : key.size() == 24 ? SuiteId::kAes192CmHmacSha1_80
                                             : SuiteId::kAes256CmHmacSha1_80;
    const MasterKey master = JoinKeyAndSalt(suite, key, block.Bytes("master_salt"));
    const auto label = static_cast<KeyLabel>(block.Number("label"));
    const Bytes expected = block.Bytes("session_key");
    EXPECT_THAT(Derived(master, label, 0, expected.size()), ElementsAreArray(expected));
  });
}

TEST(KeyDerivationTest, KeysHaveTheSizesOfTheirSuite) {
  SeededRandom random(1);
  for (const CipherSuite& suite : kCipherSuites) {
    SCOPED_TRACE(suite.name);
    const MasterKey master = MasterKey::Generate(suite.id, random);
    for (const PacketKind kind : {PacketKind::kRtp, PacketKind::kRtcp}) {
      const SessionKeys keys = DeriveSessionKeys(master, kind);
      EXPECT_EQ(keys.encryption.size(), suite.key_size);
      EXPECT_EQ(keys.salt.size(), suite.salt_size);
      EXPECT_EQ(keys.authentication.size(), suite.aead() ? 0u : kHmacSha1KeySize);
    }
    const HeaderKeys header = DeriveHeaderKeys(master);
    EXPECT_EQ(header.encryption.size(), suite.key_size);
    EXPECT_EQ(header.salt.size(), suite.salt_size);
  }
}

TEST(KeyDerivationTest, EachKeyIsOfItsLabelAndQuotient) {
  SeededRandom random(2);
  for (const CipherSuite& suite : kCipherSuites) {
    const MasterKey master = MasterKey::Generate(suite.id, random);
    for (const uint64_t quotient : {uint64_t{0}, uint64_t{0x0123'4567}, uint64_t{1} << 47}) {
      SCOPED_TRACE(absl::StrCat(suite.name, " ", quotient));
      const auto expect = [&](absl::Span<const uint8_t> key, KeyLabel label) {
        EXPECT_THAT(key, ElementsAreArray(Derived(master, label, quotient, key.size())));
      };
      const SessionKeys rtp = DeriveSessionKeys(master, PacketKind::kRtp, quotient);
      expect(rtp.encryption.span(), KeyLabel::kRtpEncryption);
      expect(rtp.authentication.span(), KeyLabel::kRtpAuthentication);
      expect(rtp.salt.span(), KeyLabel::kRtpSalt);
      const SessionKeys rtcp = DeriveSessionKeys(master, PacketKind::kRtcp, quotient);
      expect(rtcp.encryption.span(), KeyLabel::kRtcpEncryption);
      expect(rtcp.authentication.span(), KeyLabel::kRtcpAuthentication);
      expect(rtcp.salt.span(), KeyLabel::kRtcpSalt);
      const HeaderKeys header = DeriveHeaderKeys(master, quotient);
      expect(header.encryption.span(), KeyLabel::kHeaderEncryption);
      expect(header.salt.span(), KeyLabel::kHeaderSalt);
    }
  }
}

TEST(KeyDerivationTest, NoTwoLabelsAndNoTwoQuotientsGiveTheSameKey) {
  SeededRandom random(3);
  for (const CipherSuite& suite : kCipherSuites) {
    const MasterKey master = MasterKey::Generate(suite.id, random);
    std::vector<Bytes> keys;
    for (uint8_t label = 0; label <= 7; ++label) {
      // 2^40 and 2^47 meet the salt right behind the label.
      for (const uint64_t quotient :
           {uint64_t{0}, uint64_t{1}, uint64_t{1} << 31, uint64_t{1} << 40, uint64_t{1} << 47}) {
        const Bytes key =
            Derived(master, static_cast<KeyLabel>(label), quotient, kMaxMasterKeySize);
        EXPECT_THAT(keys, Not(Contains(key)))
            << suite.name << " label " << int{label} << " quotient " << quotient;
        keys.push_back(key);
      }
    }
  }
}

// RFC 3711 section 4.3.1, spelt out: key_id = label || r, its last bit under the salt's last; the
// block of 16 bytes is that and a counter of two.
TEST(KeyDerivationTest, QuotientStandsFlushRightWithTheLabelInFront) {
  constexpr uint64_t kQuotient = 0xA1A2'A3A4'A5A6;
  constexpr uint8_t kKeyId[16] = {0,    0,    0,    0,    0,    0,    0, 0x05,
                                  0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0, 0};
  SeededRandom random(4);
  for (const CipherSuite& suite : kCipherSuites) {
    const MasterKey master = MasterKey::Generate(suite.id, random);
    Bytes block(master.salt().begin(), master.salt().end());
    block.resize(16);
    for (size_t i = 0; i < block.size(); ++i) {
      block[i] ^= kKeyId[i];
    }
    AES_KEY key;
    ASSERT_EQ(AES_set_encrypt_key(master.key().data(), static_cast<int>(8 * suite.key_size), &key),
              0);
    Bytes expected(16);
    AES_encrypt(block.data(), expected.data(), &key);
    EXPECT_THAT(Derived(master, KeyLabel::kRtcpSalt, kQuotient, 16), ElementsAreArray(expected))
        << suite.name;
  }
}

// RFC 7714 section 11 leaves open how a salt of 12 bytes fills the 14 of RFC 3711 section 4.3.1.
TEST(KeyDerivationTest, ShortSaltCountsAsFollowedByZeros) {
  const Bytes key(16, 0x5A);
  Bytes salt(12, 0xA5);
  const MasterKey gcm = JoinKeyAndSalt(SuiteId::kAeadAes128Gcm, key, salt);
  salt.resize(14, 0);
  const MasterKey cm = JoinKeyAndSalt(SuiteId::kAesCm128HmacSha1_80, key, salt);
  EXPECT_THAT(Derived(gcm, KeyLabel::kRtcpSalt, 7, 40),
              ElementsAreArray(Derived(cm, KeyLabel::kRtcpSalt, 7, 40)));
}

TEST(KeyDerivationTest, AllocatesNothing) {
  SeededRandom random(5);
  for (const CipherSuite& suite : kCipherSuites) {
    const MasterKey master = MasterKey::Generate(suite.id, random);
    const uint64_t before = ThreadAllocations();
    size_t size = 0;
    for (uint64_t quotient = 0; quotient < 100; ++quotient) {
      size += DeriveSessionKeys(master, PacketKind::kRtp, quotient).salt.size();
      size += DeriveSessionKeys(master, PacketKind::kRtcp, quotient).salt.size();
      size += DeriveHeaderKeys(master, quotient).salt.size();
    }
    EXPECT_EQ(ThreadAllocations() - before, 0u) << suite.name;
    EXPECT_EQ(size, 300 * suite.salt_size);
  }
}

}  // namespace
}  // namespace sluice
