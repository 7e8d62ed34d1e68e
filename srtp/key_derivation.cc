#include "srtp/key_derivation.h"

#include <openssl/aes.h>
#include <openssl/mem.h>

#include <algorithm>

#include "base/byte_order.h"
#include "base/check.h"

namespace sluice {
namespace {

// The counter is the last 16 bits of the block (RFC 3711 section 4.1.1).
constexpr size_t kMaxKeystreamSize = (size_t{1} << 16) * AES_BLOCK_SIZE;

// Where the label meets the salt: x = (label || r) XOR salt, both flush right in 14 bytes, r has 6
// (RFC 3711 section 4.3.1).
constexpr size_t kLabelOffset = kMaxMasterSaltSize - 6 - 1;

}  // namespace

SessionKeys DeriveSessionKeys(const MasterKey& master, PacketKind kind) {
  const CipherSuite& suite = master.suite();
  const bool rtp = kind == PacketKind::kRtp;
  SessionKeys keys;
  keys.encryption = SecretBuffer<kMaxMasterKeySize>(suite.key_size);
  DeriveKey(master, rtp ? KeyLabel::kRtpEncryption : KeyLabel::kRtcpEncryption,
            keys.encryption.mutable_span());
  if (!suite.aead()) {
    keys.authentication = SecretBuffer<kHmacSha1KeySize>(kHmacSha1KeySize);
    DeriveKey(master, rtp ? KeyLabel::kRtpAuthentication : KeyLabel::kRtcpAuthentication,
              keys.authentication.mutable_span());
  }
  keys.salt = SecretBuffer<kMaxMasterSaltSize>(suite.salt_size);
  DeriveKey(master, rtp ? KeyLabel::kRtpSalt : KeyLabel::kRtcpSalt, keys.salt.mutable_span());
  return keys;
}

void DeriveKey(const MasterKey& master, KeyLabel label, absl::Span<uint8_t> out) {
  SLUICE_CHECK(out.size() <= kMaxKeystreamSize);
  // IV = x * 2^16 (RFC 3711 section 4.3.3).
  SecretBytes<AES_BLOCK_SIZE> iv;
  CopyBytes(iv.mutable_span(), master.salt());
  iv.mutable_span()[kLabelOffset] ^= static_cast<uint8_t>(label);

  AES_KEY key;
  // Cannot fail: every suite has a key size of AES.
  SLUICE_CHECK(AES_set_encrypt_key(master.key().data(),
                                   static_cast<unsigned>(master.key().size() * 8), &key) == 0);
  std::fill(out.begin(), out.end(), uint8_t{0});
  SecretBytes<AES_BLOCK_SIZE> keystream_block;
  unsigned used = 0;
  AES_ctr128_encrypt(out.data(), out.data(), out.size(), &key, iv.mutable_span().data(),
                     keystream_block.mutable_span().data(), &used);
  OPENSSL_cleanse(&key, sizeof(key));
}

}  // namespace sluice
