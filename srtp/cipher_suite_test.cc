#include "srtp/cipher_suite.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(CipherSuiteTest, EveryIdHasItsRow) {
  for (const CipherSuite& suite : kCipherSuites) {
    EXPECT_EQ(&GetCipherSuite(suite.id), &suite) << suite.name;
  }
}

TEST(CipherSuiteTest, IsFoundByItsSdesNameExactly) {
  for (const CipherSuite& suite : kCipherSuites) {
    EXPECT_EQ(FindCipherSuite(suite.name), &suite) << suite.name;
  }
  EXPECT_EQ(FindCipherSuite(""), nullptr);
  EXPECT_EQ(FindCipherSuite("aes_cm_128_hmac_sha1_80"), nullptr);
  EXPECT_EQ(FindCipherSuite("AES_CM_128_HMAC_SHA1_8"), nullptr);
  EXPECT_EQ(FindCipherSuite("AES_CM_128_HMAC_SHA1_800"), nullptr);
  EXPECT_EQ(FindCipherSuite("F8_128_HMAC_SHA1_80"), nullptr);
}

// The sums that an SDES inline key must have: RFC 4568 section 6.2 (30) and RFC 7714 section 14.1
// (28 and 44).
TEST(CipherSuiteTest, KeyAndSaltSizesAreThoseOfTheRfcs) {
  const auto key_and_salt = [](absl::string_view name) {
    const CipherSuite* suite = FindCipherSuite(name);
    return suite == nullptr ? 0 : suite->key_size + suite->salt_size;
  };
  EXPECT_EQ(key_and_salt("AES_CM_128_HMAC_SHA1_80"), 30u);
  EXPECT_EQ(key_and_salt("AES_CM_128_HMAC_SHA1_32"), 30u);
  EXPECT_EQ(key_and_salt("AEAD_AES_128_GCM"), 28u);
  EXPECT_EQ(key_and_salt("AEAD_AES_256_GCM"), 44u);
}

TEST(CipherSuiteTest, ShortTagIsForRtpOnly) {
  const CipherSuite& suite = GetCipherSuite(SuiteId::kAesCm128HmacSha1_32);
  EXPECT_EQ(suite.rtp_tag_size, 4u);
  EXPECT_EQ(suite.rtcp_tag_size, 10u);
}

}  // namespace
}  // namespace sluice
