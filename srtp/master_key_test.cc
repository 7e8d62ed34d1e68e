#include "srtp/master_key.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"

namespace sluice {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

std::vector<uint8_t> CountingBytes(size_t size) {
  std::vector<uint8_t> bytes(size);
  for (size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<uint8_t>(i);
  }
  return bytes;
}

TEST(MasterKeyTest, SplitsKeyAndSaltOfEverySuite) {
  for (const CipherSuite& suite : kCipherSuites) {
    SCOPED_TRACE(suite.name);
    const std::vector<uint8_t> bytes = CountingBytes(suite.key_size + suite.salt_size);
    const absl::StatusOr<MasterKey> key = MasterKey::Create(suite.id, bytes);
    ASSERT_TRUE(key.ok()) << key.status();
    EXPECT_EQ(key->suite().id, suite.id);
    EXPECT_THAT(key->key_and_salt(), ElementsAreArray(bytes));
    EXPECT_THAT(key->key(), ElementsAreArray(bytes.begin(), bytes.begin() + suite.key_size));
    EXPECT_THAT(key->salt(), ElementsAreArray(bytes.begin() + suite.key_size, bytes.end()));
  }
}

TEST(MasterKeyTest, RefusesEveryOtherSizeAndNamesTheRightOne) {
  for (const CipherSuite& suite : kCipherSuites) {
    const size_t right = suite.key_size + suite.salt_size;
    for (size_t size = 0; size <= 64; ++size) {
      const absl::Status status = MasterKey::Create(suite.id, CountingBytes(size)).status();
      if (size == right) {
        EXPECT_TRUE(status.ok()) << status;
        continue;
      }
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << suite.name << " " << size;
      EXPECT_THAT(status.message(), HasSubstr(absl::StrCat("needs ", right)));
      EXPECT_THAT(status.message(), HasSubstr(absl::StrCat("have ", size, " bytes")));
    }
  }
}

TEST(MasterKeyTest, GeneratesFreshKeysFromTheRandomSource) {
  for (const CipherSuite& suite : kCipherSuites) {
    SeededRandom random(7);
    const MasterKey first = MasterKey::Generate(suite.id, random);
    const MasterKey second = MasterKey::Generate(suite.id, random);
    EXPECT_EQ(first.key().size(), suite.key_size);
    EXPECT_EQ(first.salt().size(), suite.salt_size);
    EXPECT_FALSE(first == second);

    SeededRandom again(7);
    EXPECT_TRUE(first == MasterKey::Generate(suite.id, again));
  }
}

TEST(MasterKeyTest, EqualsItsCloneAndDiffersInEveryByteAndInTheSuite) {
  const std::vector<uint8_t> bytes = CountingBytes(30);
  const MasterKey key = *MasterKey::Create(SuiteId::kAesCm128HmacSha1_80, bytes);
  EXPECT_TRUE(key == key.Clone());
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::vector<uint8_t> other = bytes;
    other[i] ^= 1;
    EXPECT_FALSE(key == *MasterKey::Create(SuiteId::kAesCm128HmacSha1_80, other)) << i;
  }
  EXPECT_FALSE(key == *MasterKey::Create(SuiteId::kAesCm128HmacSha1_32, bytes));
}

TEST(MasterKeyTest, MovesItsBytes) {
  const std::vector<uint8_t> bytes = CountingBytes(28);
  MasterKey from = *MasterKey::Create(SuiteId::kAeadAes128Gcm, bytes);
  MasterKey to = std::move(from);
  EXPECT_THAT(to.key_and_salt(), ElementsAreArray(bytes));
}

}  // namespace
}  // namespace sluice
