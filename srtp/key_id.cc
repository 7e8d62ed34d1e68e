#include "srtp/key_id.h"

#include <openssl/mem.h>
#include <openssl/sha.h>

#include "base/byte_order.h"
#include "base/secret_bytes.h"

namespace sluice {
namespace {

// So that the hash of this key for another purpose is another one.
constexpr uint8_t kPurpose[] = {'k', 'e', 'y', ' ', 'i', 'd'};

}  // namespace

KeyId IdOf(const MasterKey& key) {
  SHA256_CTX hash;
  SHA256_Init(&hash);
  SHA256_Update(&hash, kPurpose, sizeof(kPurpose));
  const absl::string_view suite = key.suite().name;
  SHA256_Update(&hash, suite.data(), suite.size());
  SHA256_Update(&hash, key.key_and_salt().data(), key.key_and_salt().size());
  SecretBytes<SHA256_DIGEST_LENGTH> digest;
  SHA256_Final(digest.mutable_span().data(), &hash);
  OPENSSL_cleanse(&hash, sizeof(hash));
  return KeyId(LoadBe64(digest.data()));
}

}  // namespace sluice
