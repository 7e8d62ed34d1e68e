#include "srtp/srtp_policy.h"

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::HasSubstr;

TEST(SrtpPolicyTest, DefaultsAreValid) { EXPECT_TRUE(CheckPolicy({}).ok()); }

TEST(SrtpPolicyTest, LifetimesAreThoseOfRfc3711AtMost) {
  SrtpPolicy policy;
  policy.rtp_lifetime = {1, 1};
  EXPECT_TRUE(CheckPolicy(policy).ok());
  policy.rtp_lifetime = {0, 0};
  EXPECT_THAT(CheckPolicy(policy).message(), HasSubstr("rtp_lifetime.hard is 0, must be 1.."));
  policy.rtp_lifetime = {1, (uint64_t{1} << 48) + 1};
  EXPECT_EQ(CheckPolicy(policy).code(), absl::StatusCode::kInvalidArgument);
  policy.rtp_lifetime = {1, uint64_t{1} << 48};
  EXPECT_TRUE(CheckPolicy(policy).ok());
  policy.rtcp_lifetime = {1, (uint64_t{1} << 31) + 1};
  EXPECT_THAT(CheckPolicy(policy).message(), HasSubstr("rtcp_lifetime.hard"));
}

TEST(SrtpPolicyTest, SoftLimitIsNotAboveTheHardOne) {
  SrtpPolicy policy;
  policy.rtcp_lifetime = {11, 10};
  EXPECT_THAT(CheckPolicy(policy).message(), HasSubstr("rtcp_lifetime.soft is 11"));
}

TEST(SrtpPolicyTest, EncryptedExtensionsAndCryptexExcludeEachOther) {
  SrtpPolicy policy;
  policy.encrypted_extensions.set(1);
  EXPECT_TRUE(CheckPolicy(policy).ok());
  policy.cryptex = CryptexPolicy::kOn;
  EXPECT_THAT(CheckPolicy(policy).message(), HasSubstr("exclude each other"));
}

}  // namespace
}  // namespace sluice
