#include "srtp/packet_keys.h"

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/crypto/boringssl_engine.h"
#include "srtp/key_derivation.h"
#include "srtp/master_key.h"
#include "srtp/packet_kind.h"

namespace sluice {
namespace {

using ::testing::ElementsAreArray;

constexpr Ssrc kSsrc(0xCAFEBABE);
constexpr uint64_t kIndex = 0x123456789ABC;

std::vector<uint8_t> SaltOf(const SessionKeys& keys) {
  std::vector<uint8_t> salt(keys.salt.span().begin(), keys.salt.span().end());
  salt.resize(16);
  return salt;
}

// RFC 3711 section 4.1.1: SSRC in bytes 4..7, index in 8..13, the counter in 14..15.
TEST(PacketKeysTest, CounterBlockIsSaltAndSsrcAndIndex) {
  SeededRandom random(1);
  BoringSslEngine engine;
  const MasterKey master = MasterKey::Generate(SuiteId::kAes256CmHmacSha1_80, random);
  const SessionKeys session = DeriveSessionKeys(master, PacketKind::kRtp);
  PacketKeys keys(master.suite(), engine);
  keys.Set(session);
  std::vector<uint8_t> expected = SaltOf(session);
  for (int i = 0; i < 4; ++i)
    expected[4 + i] ^= static_cast<uint8_t>(kSsrc.value() >> (24 - 8 * i));
  for (int i = 0; i < 6; ++i) expected[8 + i] ^= static_cast<uint8_t>(kIndex >> (40 - 8 * i));
  const InitialVector vector = keys.VectorOf(kSsrc, kIndex);
  EXPECT_THAT(absl::MakeConstSpan(vector.bytes(), 16), ElementsAreArray(expected));
}

// RFC 7714 sections 8.1 and 9.1: SSRC in bytes 2..5, index in 6..11.
TEST(PacketKeysTest, GcmIvIsSaltAndSsrcAndIndex) {
  SeededRandom random(2);
  BoringSslEngine engine;
  const MasterKey master = MasterKey::Generate(SuiteId::kAeadAes256Gcm, random);
  const SessionKeys session = DeriveSessionKeys(master, PacketKind::kRtp);
  PacketKeys keys(master.suite(), engine);
  keys.Set(session);
  std::vector<uint8_t> expected = SaltOf(session);
  for (int i = 0; i < 4; ++i)
    expected[2 + i] ^= static_cast<uint8_t>(kSsrc.value() >> (24 - 8 * i));
  for (int i = 0; i < 6; ++i) expected[6 + i] ^= static_cast<uint8_t>(kIndex >> (40 - 8 * i));
  const InitialVector vector = keys.VectorOf(kSsrc, kIndex);
  EXPECT_THAT(absl::MakeConstSpan(vector.bytes(), 12),
              ElementsAreArray(absl::MakeConstSpan(expected).first(12)));
}

TEST(PacketKeysTest, HasTheKeysThatTheSuiteNeeds) {
  BoringSslEngine engine;
  for (const CipherSuite& suite : kCipherSuites) {
    const PacketKeys keys(suite, engine);
    EXPECT_EQ(keys.gcm() != nullptr, suite.transform == PacketTransform::kGcm) << suite.name;
    EXPECT_EQ(keys.counter_mode() != nullptr, suite.transform == PacketTransform::kCounterMode)
        << suite.name;
    EXPECT_EQ(keys.mac() != nullptr, suite.transform != PacketTransform::kGcm) << suite.name;
  }
}

}  // namespace
}  // namespace sluice
