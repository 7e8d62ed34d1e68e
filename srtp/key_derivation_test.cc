#include "srtp/key_derivation.h"

#include <cstdint>
#include <string>
#include <vector>

#include "base/testing/seeded_random.h"
#include "base/testing/vector_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/master_key.h"
#include "srtp/packet_kind.h"

namespace sluice {
namespace {

using ::testing::ElementsAreArray;
using ::testing::Not;

MasterKey JoinKeyAndSalt(SuiteId suite, std::vector<uint8_t> key,
                         const std::vector<uint8_t>& salt) {
  key.insert(key.end(), salt.begin(), salt.end());
  absl::StatusOr<MasterKey> master = MasterKey::Create(suite, key);
  EXPECT_TRUE(master.ok()) << master.status();
  return *std::move(master);
}

TEST(KeyDerivationTest, AgreesWithRfc3711AppendixB3) {
  ForEachVector("tests/vectors/rfc3711_key_derivation.txt", [](VectorBlock& block) {
    const MasterKey master = JoinKeyAndSalt(SuiteId::kAesCm128HmacSha1_80,
                                            block.Bytes("master_key"), block.Bytes("master_salt"));
    const auto label = static_cast<KeyLabel>(block.Number("label"));
    const std::vector<uint8_t> expected = block.Bytes("session_key");
    std::vector<uint8_t> derived(expected.size());
    DeriveKey(master, label, absl::MakeSpan(derived));
    EXPECT_THAT(derived, ElementsAreArray(expected));
  });
}

TEST(KeyDerivationTest, SessionKeysHaveTheSizesOfTheirSuite) {
  SeededRandom random(1);
  for (const CipherSuite& suite : kCipherSuites) {
    const MasterKey master = MasterKey::Generate(suite.id, random);
    for (const PacketKind kind : {PacketKind::kRtp, PacketKind::kRtcp}) {
      const SessionKeys keys = DeriveSessionKeys(master, kind);
      EXPECT_EQ(keys.encryption.size(), suite.key_size);
      EXPECT_EQ(keys.salt.size(), suite.salt_size);
      EXPECT_EQ(keys.authentication.size(), suite.aead() ? 0u : kHmacSha1KeySize);
    }
  }
}

TEST(KeyDerivationTest, NoTwoLabelsGiveTheSameKey) {
  SeededRandom random(2);
  for (const CipherSuite& suite : kCipherSuites) {
    const MasterKey master = MasterKey::Generate(suite.id, random);
    std::vector<std::vector<uint8_t>> keys;
    for (uint8_t label = 0; label <= 5; ++label) {
      std::vector<uint8_t> key(kMaxMasterKeySize);
      DeriveKey(master, static_cast<KeyLabel>(label), absl::MakeSpan(key));
      EXPECT_THAT(keys, Not(testing::Contains(key))) << suite.name << " label " << int{label};
      keys.push_back(key);
    }
  }
}

// RFC 7714 section 11 leaves open how a salt of 12 bytes fills the 14 of RFC 3711 section 4.3.1.
TEST(KeyDerivationTest, ShortSaltCountsAsFollowedByZeros) {
  const std::vector<uint8_t> key(16, 0x5A);
  std::vector<uint8_t> salt(12, 0xA5);
  const MasterKey gcm = JoinKeyAndSalt(SuiteId::kAeadAes128Gcm, key, salt);
  salt.resize(14, 0);
  const MasterKey cm = JoinKeyAndSalt(SuiteId::kAesCm128HmacSha1_80, key, salt);
  std::vector<uint8_t> from_gcm(40);
  std::vector<uint8_t> from_cm(40);
  DeriveKey(gcm, KeyLabel::kRtcpSalt, absl::MakeSpan(from_gcm));
  DeriveKey(cm, KeyLabel::kRtcpSalt, absl::MakeSpan(from_cm));
  EXPECT_THAT(from_gcm, ElementsAreArray(from_cm));
}

}  // namespace
}  // namespace sluice
