#include "srtp/key_id.h"

#include <cstdint>
#include <vector>

#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"

namespace sluice {
namespace {

TEST(KeyIdTest, IsTheSameForTheSameKeyOnly) {
  SeededRandom random(1);
  const MasterKey key = MasterKey::Generate(SuiteId::kAesCm128HmacSha1_80, random);
  EXPECT_EQ(IdOf(key), IdOf(key.Clone()));
  EXPECT_NE(IdOf(key), IdOf(MasterKey::Generate(SuiteId::kAesCm128HmacSha1_80, random)));
  // The same bytes in another suite protect other packets.
  EXPECT_NE(IdOf(key), IdOf(*MasterKey::Create(SuiteId::kAesCm128HmacSha1_32, key.key_and_salt())));
}

TEST(KeyIdTest, DependsOnTheSaltToo) {
  std::vector<uint8_t> bytes(30);
  const KeyId id = IdOf(*MasterKey::Create(SuiteId::kAesCm128HmacSha1_80, bytes));
  bytes.back() = 1;
  EXPECT_NE(id, IdOf(*MasterKey::Create(SuiteId::kAesCm128HmacSha1_80, bytes)));
}

}  // namespace
}  // namespace sluice
