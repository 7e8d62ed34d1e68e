#include "srtp/key_ring.h"

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/crypto/boringssl_engine.h"
#include "srtp/key_id.h"
#include "srtp/srtp_policy.h"

namespace sluice {
namespace {

using ::testing::HasSubstr;

class KeyRingTest : public testing::Test {
 protected:
  MasterKey NewKey() { return MasterKey::Generate(SuiteId::kAeadAes128Gcm, random_); }
  size_t Add(const MasterKey& key, const Mki& mki) {
    EXPECT_TRUE(ring_.CheckAdd(key, mki).ok());
    return ring_.Add(std::make_unique<LiveKey>(key, mki, policy_, engine_));
  }
  static Mki MkiOf(uint8_t value) { return *Mki::Create({value}); }

  SeededRandom random_{1};
  BoringSslEngine engine_;
  const SrtpPolicy policy_;
  KeyRing ring_;
};

TEST_F(KeyRingTest, FindsAKeyByItsMkiUntilItIsRemoved) {
  const MasterKey one = NewKey();
  const size_t slot = Add(one, MkiOf(1));
  const size_t other = Add(NewKey(), MkiOf(2));
  EXPECT_NE(slot, other);
  EXPECT_EQ(ring_.Find(MkiOf(1).bytes()), slot);
  EXPECT_EQ(ring_.Find(MkiOf(2).bytes()), other);
  EXPECT_EQ(ring_.Find(MkiOf(3).bytes()), KeyRing::kNone);
  EXPECT_TRUE(ring_.key(slot)->master() == one);
  EXPECT_TRUE(ring_.Has(IdOf(one)));
  ring_.Remove(slot);
  EXPECT_EQ(ring_.Find(MkiOf(1).bytes()), KeyRing::kNone);
  EXPECT_FALSE(ring_.Has(IdOf(one)));
  EXPECT_EQ(ring_.key(slot), nullptr);
  EXPECT_EQ(ring_.Find(MkiOf(2).bytes()), other);
}

TEST_F(KeyRingTest, KeysAreOfOneSuiteAndMkisOfOneSize) {
  Add(NewKey(), MkiOf(1));
  const absl::Status suite =
      ring_.CheckAdd(MasterKey::Generate(SuiteId::kAeadAes256Gcm, random_), MkiOf(2));
  EXPECT_EQ(suite.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(suite.message(), HasSubstr("AEAD_AES_256_GCM"));
  EXPECT_THAT(ring_.CheckAdd(NewKey(), *Mki::Create({1, 2})).message(),
              HasSubstr("MKI has 2 bytes, those of the other keys have 1"));
}

TEST_F(KeyRingTest, NeitherMkiNorKeyIsThereTwice) {
  const MasterKey key = NewKey();
  Add(key, MkiOf(1));
  EXPECT_THAT(ring_.CheckAdd(NewKey(), MkiOf(1)).message(), HasSubstr("has that MKI"));
  EXPECT_THAT(ring_.CheckAdd(key, MkiOf(2)).message(), HasSubstr("is a live one"));
}

TEST_F(KeyRingTest, HasEightPlaces) {
  for (uint8_t i = 0; i < 8; ++i) {
    Add(NewKey(), MkiOf(i));
  }
  EXPECT_EQ(ring_.CheckAdd(NewKey(), MkiOf(8)).code(), absl::StatusCode::kResourceExhausted);
  ring_.Remove(3);
  EXPECT_EQ(Add(NewKey(), MkiOf(8)), 3u);
}

}  // namespace
}  // namespace sluice
