#include "quic/tls/sealing_key_ring.h"

#include <openssl/aead.h>
#include <openssl/err.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "base/random_source.h"
#include "base/secret_bytes.h"
#include "base/time_delta.h"
#include "base/timestamp.h"

namespace sluice {
namespace {

constexpr size_t kNonceSize = 12;
using Nonce = std::array<uint8_t, kNonceSize>;

// A key is used by one ring only, which counts: no nonce comes twice.
Nonce NonceOf(uint64_t count) {
  Nonce nonce{};
  StoreBe64(nonce.data() + kNonceSize - 8, count);
  return nonce;
}

}  // namespace

SealingKeyRing::SealingKeyRing(Timestamp now, TimeDelta lifetime, RandomSource& random)
    : lifetime_(lifetime), random_(random), current_(Draw(now)) {
  SLUICE_CHECK(lifetime > TimeDelta::Zero());
}

SealingKeyRing::Key SealingKeyRing::Draw(Timestamp now) {
  Key key;
  random_.Fill(absl::MakeSpan(key.name));
  SecretBytes<32> secret;
  random_.Fill(secret.mutable_span());
  key.cipher.reset(EVP_AEAD_CTX_new(EVP_aead_aes_256_gcm(), secret.data(), 32, kTagSize));
  // Nothing but memory can be missing.
  SLUICE_CHECK(key.cipher != nullptr);
  key.since = now;
  return key;
}

void SealingKeyRing::Advance(Timestamp now) {
  if (now < NextRotation()) return;
  // After a long sleep the current key is too old even to open.
  previous_ = now < NextRotation() + lifetime_ ? std::move(current_) : Key{};
  current_ = Draw(now);
}

size_t SealingKeyRing::Seal(absl::Span<const uint8_t> plain, absl::Span<const uint8_t> associated,
                            absl::Span<uint8_t> out) {
  if (out.size() < plain.size() + kOverhead) return 0;
  CopyBytes(out, current_.name);
  const uint64_t count = current_.sealed++;
  StoreBe64(out.data() + kNameSize, count);
  const Nonce nonce = NonceOf(count);
  const absl::Span<uint8_t> body = out.subspan(kNameSize + kCountSize);
  size_t size = 0;
  const int sealed = EVP_AEAD_CTX_seal(current_.cipher.get(), body.data(), &size, body.size(),
                                       nonce.data(), nonce.size(), plain.data(), plain.size(),
                                       associated.data(), associated.size());
  SLUICE_CHECK(sealed == 1);
  return kNameSize + kCountSize + size;
}

std::optional<size_t> SealingKeyRing::Open(absl::Span<const uint8_t> sealed,
                                           absl::Span<const uint8_t> associated,
                                           absl::Span<uint8_t> out) const {
  if (sealed.size() < kOverhead) return std::nullopt;
  for (const Key* key : {&current_, &previous_}) {
    if (key->cipher == nullptr || !std::equal(key->name.begin(), key->name.end(), sealed.begin())) {
      continue;
    }
    const Nonce nonce = NonceOf(LoadBe64(sealed.data() + kNameSize));
    const absl::Span<const uint8_t> body = sealed.subspan(kNameSize + kCountSize);
    size_t size = 0;
    if (EVP_AEAD_CTX_open(key->cipher.get(), out.data(), &size, out.size(), nonce.data(),
                          nonce.size(), body.data(), body.size(), associated.data(),
                          associated.size()) == 1) {
      return size;
    }
    // Else the next user of this thread would take it for its own.
    ERR_clear_error();
  }
  return std::nullopt;
}

}  // namespace sluice
