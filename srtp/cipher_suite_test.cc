#include "srtp/cipher_suite.h"

#include <cstddef>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
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

// What is in the RFCs, once more and by hand.
struct Row {
  absl::string_view name;
  size_t key_size;
  size_t salt_size;
  size_t rtp_tag_size;
  size_t rtcp_tag_size;
  bool aead;
};
constexpr Row kRows[] = {
    // RFC 4568 sections 6.2.1 and 6.2.2; RFC 3711 section 5.2 for the tag of SRTCP.
    {"AES_CM_128_HMAC_SHA1_80", 16, 14, 10, 10, false},
    {"AES_CM_128_HMAC_SHA1_32", 16, 14, 4, 10, false},
    // RFC 6188 sections 2 and 3.
    {"AES_192_CM_HMAC_SHA1_80", 24, 14, 10, 10, false},
    {"AES_192_CM_HMAC_SHA1_32", 24, 14, 4, 10, false},
    {"AES_256_CM_HMAC_SHA1_80", 32, 14, 10, 10, false},
    {"AES_256_CM_HMAC_SHA1_32", 32, 14, 4, 10, false},
    // RFC 7714 sections 12 and 13.
    {"AEAD_AES_128_GCM", 16, 12, 16, 16, true},
    {"AEAD_AES_256_GCM", 32, 12, 16, 16, true},
    // RFC 5764 section 4.1.2; keys as in AES_CM_128.
    {"NULL_HMAC_SHA1_80", 16, 14, 10, 10, false},
    {"NULL_HMAC_SHA1_32", 16, 14, 4, 10, false},
};

TEST(CipherSuiteTest, SizesAreThoseOfTheRfcs) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.name);
    const CipherSuite* suite = FindCipherSuite(row.name);
    ASSERT_NE(suite, nullptr);
    EXPECT_EQ(suite->key_size, row.key_size);
    EXPECT_EQ(suite->salt_size, row.salt_size);
    EXPECT_EQ(suite->rtp_tag_size, row.rtp_tag_size);
    EXPECT_EQ(suite->rtcp_tag_size, row.rtcp_tag_size);
    EXPECT_EQ(suite->aead(), row.aead);
  }
  EXPECT_EQ(std::size(kRows), std::size(kCipherSuites));
}

TEST(CipherSuiteTest, OnlyWhatIsCalledNullLeavesThePayloadReadable) {
  for (const CipherSuite& suite : kCipherSuites) {
    EXPECT_EQ(suite.transform == PacketTransform::kNull, absl::StartsWith(suite.name, "NULL_"))
        << suite.name;
  }
}

}  // namespace
}  // namespace sluice
