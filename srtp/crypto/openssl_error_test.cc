#include "srtp/crypto/openssl_error.h"

#include <openssl/aead.h>

#include <cstdint>

#include "gtest/gtest.h"

namespace sluice {
namespace {

// Opens something that no key ever sealed.
bool OpenGarbage() {
  const uint8_t key[16] = {};
  bssl::ScopedEVP_AEAD_CTX context;
  EXPECT_TRUE(EVP_AEAD_CTX_init(context.get(), EVP_aead_aes_128_gcm(), key, sizeof(key),
                                EVP_AEAD_DEFAULT_TAG_LENGTH, nullptr));
  const uint8_t nonce[12] = {};
  const uint8_t sealed[32] = {};
  uint8_t out[32];
  size_t out_size = 0;
  return EVP_AEAD_CTX_open(context.get(), out, &out_size, sizeof(out), nonce, sizeof(nonce), sealed,
                           sizeof(sealed), nullptr, 0) == 1;
}

TEST(OpensslErrorTest, DrainingLeavesNothingForTheNextCaller) {
  PrepareOpensslErrors();
  EXPECT_FALSE(HasOpensslErrors());
  EXPECT_FALSE(OpenGarbage());
  EXPECT_FALSE(OpenGarbage());
  EXPECT_TRUE(HasOpensslErrors());
  DrainOpensslErrors();
  EXPECT_FALSE(HasOpensslErrors());
}

}  // namespace
}  // namespace sluice
