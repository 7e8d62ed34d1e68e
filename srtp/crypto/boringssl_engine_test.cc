// Against BoringSSL's own high-level calls; published vectors are in engine_self_test.

#include "srtp/crypto/boringssl_engine.h"

#include <openssl/aead.h>
#include <openssl/cipher.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/crypto/openssl_error.h"

namespace sluice {
namespace {

using ::testing::Each;
using ::testing::ElementsAreArray;

using Bytes = std::vector<uint8_t>;

class BoringSslEngineTest : public testing::Test {
 protected:
  Bytes RandomBytes(size_t size) {
    Bytes bytes(size);
    random_.Fill(absl::MakeSpan(bytes));
    return bytes;
  }

  SeededRandom random_{SeededRandom::SeedFromEnvOr(3711)};
  const testing::ScopedTrace trace_{__FILE__, __LINE__,
                                    absl::StrCat("replay with SLUICE_TEST_SEED=", random_.seed())};
  BoringSslEngine engine_;
};

Bytes EvpCounterMode(absl::Span<const uint8_t> key, const Bytes& counter_block, Bytes data) {
  const EVP_CIPHER* cipher = key.size() == 16   ? EVP_aes_128_ctr()
                             : key.size() == 24 ? EVP_aes_192_ctr()
                                                : EVP_aes_256_ctr();
  bssl::ScopedEVP_CIPHER_CTX context;
  EXPECT_TRUE(EVP_EncryptInit_ex(context.get(), cipher, nullptr, key.data(), counter_block.data()));
  int size = 0;
  EXPECT_TRUE(EVP_EncryptUpdate(context.get(), data.data(), &size, data.data(),
                                static_cast<int>(data.size())));
  return data;
}

TEST_F(BoringSslEngineTest, CryptIsCounterModeOfEachJobsKey) {
  const size_t key_sizes[] = {16, 24, 32};
  std::vector<Bytes> keys, counter_blocks, data, expected;
  std::vector<std::unique_ptr<CounterModeKey>> engine_keys;
  std::vector<CounterModeJob> jobs;
  for (size_t size = 0; size < 100; ++size) {
    keys.push_back(RandomBytes(key_sizes[size % 3]));
    counter_blocks.push_back(RandomBytes(kCounterBlockSize));
    counter_blocks.back()[14] = counter_blocks.back()[15] = 0;
    data.push_back(RandomBytes(size));
    expected.push_back(EvpCounterMode(keys[size], counter_blocks[size], data[size]));
    engine_keys.push_back(engine_.MakeCounterModeKey());
    engine_keys.back()->Set(keys[size]);
  }
  for (size_t i = 0; i < data.size(); ++i) {
    jobs.push_back({engine_keys[i].get(), counter_blocks[i].data(), data[i].data(), i});
  }
  engine_.Crypt(jobs);
  EXPECT_THAT(data, ElementsAreArray(expected));
}

TEST_F(BoringSslEngineTest, AuthenticateIsTheLeftPartOfHmacSha1) {
  for (size_t size = 1; size < 300; ++size) {
    const Bytes key = RandomBytes(kMacKeySize);
    const Bytes message = RandomBytes(size);
    uint8_t expected[20];
    unsigned expected_size = 0;
    HMAC(EVP_sha1(), key.data(), key.size(), message.data(), message.size(), expected,
         &expected_size);
    const std::unique_ptr<HmacSha1Key> engine_key = engine_.MakeHmacSha1Key();
    engine_key->Set(key);
    std::array<uint8_t, kMacSize> mac;
    const MacJob job{engine_key.get(), message.data(), message.size(), mac.data()};
    engine_.Authenticate(absl::MakeConstSpan(&job, 1));
    ASSERT_THAT(mac, ElementsAreArray(absl::MakeConstSpan(expected).first(kMacSize))) << size;
  }
}

TEST_F(BoringSslEngineTest, SealIsAesGcmAndOpenUndoesIt) {
  for (const size_t key_size : {16, 32}) {
    const Bytes key = RandomBytes(key_size);
    const Bytes iv = RandomBytes(kCounterBlockSize);
    const std::unique_ptr<GcmKey> engine_key = engine_.MakeGcmKey();
    engine_key->Set(key);
    bssl::ScopedEVP_AEAD_CTX context;
    ASSERT_TRUE(EVP_AEAD_CTX_init(context.get(),
                                  key_size == 16 ? EVP_aead_aes_128_gcm() : EVP_aead_aes_256_gcm(),
                                  key.data(), key_size, kGcmTagSize, nullptr));
    for (size_t size = 0; size < 100; ++size) {
      const Bytes associated = RandomBytes(size % 33);
      const Bytes plain = RandomBytes(size);
      Bytes expected(size + kGcmTagSize);
      size_t expected_size = 0;
      ASSERT_TRUE(EVP_AEAD_CTX_seal(context.get(), expected.data(), &expected_size, expected.size(),
                                    iv.data(), kGcmIvSize, plain.data(), size, associated.data(),
                                    associated.size()));
      Bytes packet = plain;
      packet.resize(size + kGcmTagSize);
      const GcmJob job{engine_key.get(), iv.data(), associated.data(),   associated.size(),
                       packet.data(),    size,      packet.data() + size};
      engine_.Seal(job);
      ASSERT_THAT(packet, ElementsAreArray(expected)) << size;
      ASSERT_TRUE(engine_.Open(job)) << size;
      ASSERT_THAT(absl::MakeConstSpan(packet).first(size), ElementsAreArray(plain)) << size;
    }
  }
}

TEST_F(BoringSslEngineTest, FalseTagWipesTheDataAndLeavesNoError) {
  const std::unique_ptr<GcmKey> key = engine_.MakeGcmKey();
  key->Set(RandomBytes(16));
  const Bytes iv = RandomBytes(kCounterBlockSize);
  const Bytes associated = RandomBytes(12);
  Bytes data = RandomBytes(100);
  Bytes tag(kGcmTagSize);
  const GcmJob job{key.get(),   iv.data(),   associated.data(), associated.size(),
                   data.data(), data.size(), tag.data()};
  engine_.Seal(job);
  tag[7] ^= 1;
  EXPECT_FALSE(engine_.Open(job));
  EXPECT_THAT(data, Each(0));
  EXPECT_FALSE(HasOpensslErrors());
}

TEST_F(BoringSslEngineTest, KeyThatIsSetAgainIsTheNewKey) {
  const Bytes counter_block(kCounterBlockSize, 0);
  const std::unique_ptr<CounterModeKey> key = engine_.MakeCounterModeKey();
  for (const size_t key_size : {32, 16, 24}) {
    const Bytes bytes = RandomBytes(key_size);
    key->Set(bytes);
    Bytes data(40, 0);
    const CounterModeJob job{key.get(), counter_block.data(), data.data(), data.size()};
    engine_.Crypt(absl::MakeConstSpan(&job, 1));
    EXPECT_THAT(data, ElementsAreArray(EvpCounterMode(bytes, counter_block, Bytes(40, 0))));
  }
}

}  // namespace
}  // namespace sluice
