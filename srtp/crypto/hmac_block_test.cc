#include "srtp/crypto/hmac_block.h"

#include <openssl/sha.h>

#include <cstdint>
#include <vector>

#include "base/testing/hex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::ElementsAreArray;

TEST(HmacBlockTest, IsTheKeyThenZerosUnderThePad) {
  const std::vector<uint8_t> key = {0x00, 0x36, 0x5C, 0xFF};
  std::vector<uint8_t> inner(kSha1BlockSize, 0x36);
  inner[0] = 0x36, inner[1] = 0x00, inner[2] = 0x6A, inner[3] = 0xC9;
  EXPECT_THAT(HmacInnerBlock(key).span(), ElementsAreArray(inner));
  std::vector<uint8_t> outer(kSha1BlockSize, 0x5C);
  outer[0] = 0x5C, outer[1] = 0x6A, outer[2] = 0x00, outer[3] = 0xA3;
  EXPECT_THAT(HmacOuterBlock(key).span(), ElementsAreArray(outer));
}

// RFC 2202 section 3, test case 1, by the book: H(outer || H(inner || message)).
TEST(HmacBlockTest, MakesHmacOfTwoHashes) {
  const std::vector<uint8_t> key(20, 0x0B);
  const auto hash = [](absl::Span<const uint8_t> block, absl::Span<const uint8_t> rest) {
    std::vector<uint8_t> all(block.begin(), block.end());
    all.insert(all.end(), rest.begin(), rest.end());
    std::vector<uint8_t> digest(SHA_DIGEST_LENGTH);
    SHA1(all.data(), all.size(), digest.data());
    return digest;
  };
  const std::vector<uint8_t> message = {'H', 'i', ' ', 'T', 'h', 'e', 'r', 'e'};
  EXPECT_THAT(hash(HmacOuterBlock(key).span(), hash(HmacInnerBlock(key).span(), message)),
              ElementsAreArray(HexBytes("b617318655057264e28bc0b6fb378c8ef146be00")));
}

}  // namespace
}  // namespace sluice
