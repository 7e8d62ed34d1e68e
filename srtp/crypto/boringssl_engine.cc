#include "srtp/crypto/boringssl_engine.h"

#include <openssl/aead.h>
#include <openssl/aes.h>
#include <openssl/mem.h>
#include <openssl/sha.h>

#include <cstddef>
#include <cstdint>

#include "base/byte_order.h"
#include "base/check.h"
#include "base/secret_bytes.h"
#include "srtp/crypto/hmac_block.h"
#include "srtp/crypto/openssl_error.h"

namespace sluice {
namespace {

static_assert(kCounterBlockSize == AES_BLOCK_SIZE);
static_assert(kSha1BlockSize == SHA_CBLOCK);

class BoringSslCounterModeKey final : public CounterModeKey {
 public:
  ~BoringSslCounterModeKey() override { OPENSSL_cleanse(&schedule_, sizeof(schedule_)); }

  void Set(absl::Span<const uint8_t> key) override {
    SLUICE_CHECK(key.size() == 16 || key.size() == 24 || key.size() == 32) << key.size();
    OPENSSL_cleanse(&schedule_, sizeof(schedule_));
    // Cannot fail: the size is one of AES.
    SLUICE_CHECK(
        AES_set_encrypt_key(key.data(), static_cast<unsigned>(key.size() * 8), &schedule_) == 0);
  }

  const AES_KEY& schedule() const { return schedule_; }

 private:
  AES_KEY schedule_ = {};
};

// SHA-1 after the block of key XOR ipad or opad: half of HMAC's work on a short packet.
class BoringSslHmacSha1Key final : public HmacSha1Key {
 public:
  ~BoringSslHmacSha1Key() override {
    OPENSSL_cleanse(&inner_, sizeof(inner_));
    OPENSSL_cleanse(&outer_, sizeof(outer_));
  }

  void Set(absl::Span<const uint8_t> key) override {
    SLUICE_CHECK(key.size() == kMacKeySize) << key.size();
    Start(HmacInnerBlock(key), inner_);
    Start(HmacOuterBlock(key), outer_);
  }

  const SHA_CTX& inner() const { return inner_; }
  const SHA_CTX& outer() const { return outer_; }

 private:
  // A whole block, so that none of it stays in the state's own buffer.
  static void Start(const SecretBytes<kSha1BlockSize>& block, SHA_CTX& state) {
    SHA1_Init(&state);
    SHA1_Update(&state, block.data(), kSha1BlockSize);
  }

  SHA_CTX inner_ = {};
  SHA_CTX outer_ = {};
};

class BoringSslGcmKey final : public GcmKey {
 public:
  BoringSslGcmKey() { EVP_AEAD_CTX_zero(&context_); }
  ~BoringSslGcmKey() override { Wipe(); }

  void Set(absl::Span<const uint8_t> key) override {
    SLUICE_CHECK(key.size() == 16 || key.size() == 32) << key.size();
    Wipe();
    const EVP_AEAD* algorithm = key.size() == 32 ? EVP_aead_aes_256_gcm() : EVP_aead_aes_128_gcm();
    // Cannot fail: key and tag sizes are the algorithm's. GCM's state lies in the context itself.
    SLUICE_CHECK(
        EVP_AEAD_CTX_init(&context_, algorithm, key.data(), key.size(), kGcmTagSize, nullptr) == 1);
  }

  const EVP_AEAD_CTX& context() const { return context_; }

 private:
  void Wipe() {
    EVP_AEAD_CTX_cleanup(&context_);
    OPENSSL_cleanse(&context_, sizeof(context_));
    EVP_AEAD_CTX_zero(&context_);
  }

  EVP_AEAD_CTX context_;
};

const EVP_AEAD_CTX& ContextOf(const GcmJob& job) {
  return static_cast<const BoringSslGcmKey*>(job.key)->context();
}

}  // namespace

BoringSslEngine::BoringSslEngine() { PrepareOpensslErrors(); }

std::unique_ptr<CounterModeKey> BoringSslEngine::MakeCounterModeKey() {
  return std::make_unique<BoringSslCounterModeKey>();
}

std::unique_ptr<HmacSha1Key> BoringSslEngine::MakeHmacSha1Key() {
  return std::make_unique<BoringSslHmacSha1Key>();
}

std::unique_ptr<GcmKey> BoringSslEngine::MakeGcmKey() {
  return std::make_unique<BoringSslGcmKey>();
}

void BoringSslEngine::Crypt(absl::Span<const CounterModeJob> jobs) {
  for (const CounterModeJob& job : jobs) {
    // BoringSSL counts in it.
    uint8_t counter_block[kCounterBlockSize];
    CopyBytes(counter_block, absl::MakeConstSpan(job.counter_block, kCounterBlockSize));
    uint8_t keystream_block[AES_BLOCK_SIZE] = {};
    unsigned used = 0;
    AES_ctr128_encrypt(job.data, job.data, job.size,
                       &static_cast<const BoringSslCounterModeKey*>(job.key)->schedule(),
                       counter_block, keystream_block, &used);
  }
}

void BoringSslEngine::Authenticate(absl::Span<const MacJob> jobs) {
  for (const MacJob& job : jobs) {
    const auto& key = *static_cast<const BoringSslHmacSha1Key*>(job.key);
    uint8_t digest[SHA_DIGEST_LENGTH];
    SHA_CTX state = key.inner();
    SHA1_Update(&state, job.data, job.size);
    SHA1_Final(digest, &state);
    state = key.outer();
    SHA1_Update(&state, digest, sizeof(digest));
    SHA1_Final(digest, &state);
    CopyBytes(absl::MakeSpan(job.mac, kMacSize), absl::MakeConstSpan(digest).first(kMacSize));
  }
}

void BoringSslEngine::Seal(const GcmJob& job) {
  size_t tag_size = 0;
  // Fails only for wrong sizes; a packet that would leave unencrypted must not.
  SLUICE_CHECK(EVP_AEAD_CTX_seal_scatter(&ContextOf(job), job.data, job.tag, &tag_size, kGcmTagSize,
                                         job.iv, kGcmIvSize, job.data, job.size, nullptr, 0,
                                         job.associated, job.associated_size) == 1);
}

bool BoringSslEngine::Open(const GcmJob& job) {
  // Writes zeros over `data` when it fails.
  if (EVP_AEAD_CTX_open_gather(&ContextOf(job), job.data, job.iv, kGcmIvSize, job.data, job.size,
                               job.tag, kGcmTagSize, job.associated, job.associated_size) == 1) {
    return true;
  }
  DrainOpensslErrors();
  return false;
}

}  // namespace sluice
