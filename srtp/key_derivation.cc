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

// Where label and r meet the salt: x = (label || r) XOR salt, both flush right in 14 bytes, r has 6
// (RFC 3711 section 4.3.1).
constexpr size_t kQuotientOffset = kMaxMasterSaltSize - 6;
constexpr size_t kLabelOffset = kQuotientOffset - 1;

// AES-CM as a pseudo-random function, with one master key and one r (RFC 3711 section 4.3.3).
class PseudoRandomFunction {
 public:
  PseudoRandomFunction(const MasterKey& master, uint64_t quotient) {
    SLUICE_DCHECK(quotient <= kMaxKeyDerivationQuotient);
    // Cannot fail: every suite has a key size of AES.
    SLUICE_CHECK(AES_set_encrypt_key(master.key().data(),
                                     static_cast<unsigned>(master.key().size() * 8), &key_) == 0);
    CopyBytes(base_.mutable_span(), master.salt());
    uint8_t* const r = base_.mutable_span().data() + kQuotientOffset;
    StoreBe48(r, LoadBe48(r) ^ quotient);
  }
  ~PseudoRandomFunction() { OPENSSL_cleanse(&key_, sizeof(key_)); }
  PseudoRandomFunction(const PseudoRandomFunction&) = delete;
  PseudoRandomFunction& operator=(const PseudoRandomFunction&) = delete;

  void Derive(KeyLabel label, absl::Span<uint8_t> out) const {
    SLUICE_CHECK(out.size() <= kMaxKeystreamSize);
    // IV = x * 2^16.
    SecretBytes<AES_BLOCK_SIZE> iv;
    CopyBytes(iv.mutable_span(), base_.span());
    iv.mutable_span()[kLabelOffset] ^= static_cast<uint8_t>(label);
    std::fill(out.begin(), out.end(), uint8_t{0});
    SecretBytes<AES_BLOCK_SIZE> keystream_block;
    unsigned used = 0;
    AES_ctr128_encrypt(out.data(), out.data(), out.size(), &key_, iv.mutable_span().data(),
                       keystream_block.mutable_span().data(), &used);
  }

  // A key of `size` bytes.
  template <typename Buffer>
  Buffer Derive(KeyLabel label, size_t size) const {
    Buffer key(size);
    Derive(label, key.mutable_span());
    return key;
  }

 private:
  AES_KEY key_;
  // r XOR salt, and zeros.
  SecretBytes<AES_BLOCK_SIZE> base_;
};

}  // namespace

SessionKeys DeriveSessionKeys(const MasterKey& master, PacketKind kind, uint64_t quotient) {
  const CipherSuite& suite = master.suite();
  const bool rtp = kind == PacketKind::kRtp;
  const PseudoRandomFunction prf(master, quotient);
  SessionKeys keys;
  keys.encryption = prf.Derive<decltype(keys.encryption)>(
      rtp ? KeyLabel::kRtpEncryption : KeyLabel::kRtcpEncryption, suite.key_size);
  if (!suite.aead()) {
    keys.authentication = prf.Derive<decltype(keys.authentication)>(
        rtp ? KeyLabel::kRtpAuthentication : KeyLabel::kRtcpAuthentication, kHmacSha1KeySize);
  }
  keys.salt = prf.Derive<decltype(keys.salt)>(rtp ? KeyLabel::kRtpSalt : KeyLabel::kRtcpSalt,
                                              suite.salt_size);
  return keys;
}

HeaderKeys DeriveHeaderKeys(const MasterKey& master, uint64_t quotient) {
  const CipherSuite& suite = master.suite();
  const PseudoRandomFunction prf(master, quotient);
  HeaderKeys keys;
  keys.encryption =
      prf.Derive<decltype(keys.encryption)>(KeyLabel::kHeaderEncryption, suite.key_size);
  keys.salt = prf.Derive<decltype(keys.salt)>(KeyLabel::kHeaderSalt, suite.salt_size);
  return keys;
}

void DeriveKey(const MasterKey& master, KeyLabel label, uint64_t quotient,
               absl::Span<uint8_t> out) {
  PseudoRandomFunction(master, quotient).Derive(label, out);
}

}  // namespace sluice
