#include "srtp/live_key.h"

#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/crypto/boringssl_engine.h"
#include "srtp/key_derivation_rate.h"

namespace sluice {
namespace {

class LiveKeyTest : public testing::Test {
 protected:
  LiveKey MakeKey(const SrtpPolicy& policy) { return LiveKey(master_, Mki(), policy, engine_); }

  SeededRandom random_{1};
  BoringSslEngine engine_;
  const MasterKey master_ = MasterKey::Generate(SuiteId::kAesCm128HmacSha1_80, random_);
};

TEST_F(LiveKeyTest, WithoutDerivationRateTheKeysStay) {
  const SrtpPolicy policy;
  LiveKey key = MakeKey(policy);
  const InitialVector before = key.KeysFor(PacketKind::kRtp, 0).VectorOf(Ssrc(1), 2);
  EXPECT_TRUE(key.HasKeysFor(PacketKind::kRtp, (uint64_t{1} << 48) - 1));
  const InitialVector after =
      key.KeysFor(PacketKind::kRtp, (uint64_t{1} << 48) - 1).VectorOf(Ssrc(1), 2);
  EXPECT_EQ(before.vector[0], after.vector[0]);
  EXPECT_EQ(before.vector[1], after.vector[1]);
}

TEST_F(LiveKeyTest, WithDerivationRateTheyChangeAndComeBack) {
  SrtpPolicy policy;
  policy.key_derivation_rate = *KeyDerivationRate::Create(16);
  LiveKey key = MakeKey(policy);
  const auto salt = [&](uint64_t index) {
    // Index 0 everywhere, so that only the salt can differ.
    return key.KeysFor(PacketKind::kRtp, index).VectorOf(Ssrc(0), 0).vector[0];
  };
  const uint64_t first = salt(15);
  EXPECT_FALSE(key.HasKeysFor(PacketKind::kRtp, 16));
  EXPECT_TRUE(key.HasKeysFor(PacketKind::kRtcp, 15)) << "RTCP has its own";
  const uint64_t second = salt(16);
  EXPECT_TRUE(key.HasKeysFor(PacketKind::kRtp, 31));
  EXPECT_NE(first, second);
  EXPECT_EQ(salt(0), first);
}

TEST_F(LiveKeyTest, CountsItsPacketsByKindUpToTheLimits) {
  SrtpPolicy policy;
  policy.rtp_lifetime = {2, 3};
  policy.rtcp_lifetime = {1, 1};
  LiveKey key = MakeKey(policy);
  key.CountUse(PacketKind::kRtp);
  EXPECT_FALSE(key.rekey_due());
  key.CountUse(PacketKind::kRtp);
  EXPECT_TRUE(key.rekey_due());
  EXPECT_FALSE(key.expired(PacketKind::kRtp));
  key.CountUse(PacketKind::kRtp);
  EXPECT_TRUE(key.expired(PacketKind::kRtp));
  EXPECT_EQ(key.used(PacketKind::kRtp), 3u);
  EXPECT_FALSE(key.expired(PacketKind::kRtcp));
  key.CountUse(PacketKind::kRtcp);
  EXPECT_TRUE(key.expired(PacketKind::kRtcp));
}

TEST_F(LiveKeyTest, HasAHeaderCipherWhenPolicyEncryptsExtensions) {
  SrtpPolicy policy;
  EXPECT_EQ(MakeKey(policy).header_cipher(), nullptr);
  policy.encrypted_extensions.set(3);
  EXPECT_NE(MakeKey(policy).header_cipher(), nullptr);
}

}  // namespace
}  // namespace sluice
