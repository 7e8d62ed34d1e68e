#include "srtp/packet_keys.h"

#include <openssl/mem.h>

#include "base/byte_order.h"
#include "base/check.h"
#include "base/secret_bytes.h"

namespace sluice {

PacketKeys::PacketKeys(const CipherSuite& suite, CryptoEngine& engine) : suite_(suite) {
  if (suite.aead()) {
    gcm_ = engine.MakeGcmKey();
    return;
  }
  if (suite.transform == PacketTransform::kCounterMode) {
    counter_mode_ = engine.MakeCounterModeKey();
  }
  mac_ = engine.MakeHmacSha1Key();
}

PacketKeys::~PacketKeys() {
  OPENSSL_cleanse(&salt_high_, sizeof(salt_high_));
  OPENSSL_cleanse(&salt_low_, sizeof(salt_low_));
}

void PacketKeys::Set(const SessionKeys& keys) {
  SLUICE_CHECK(keys.salt.size() == suite_.salt_size);
  if (gcm_ != nullptr) {
    gcm_->Set(keys.encryption.span());
  }
  if (counter_mode_ != nullptr) {
    counter_mode_->Set(keys.encryption.span());
  }
  if (mac_ != nullptr) {
    mac_->Set(keys.authentication.span());
  }
  SecretBytes<kCounterBlockSize> salt;
  CopyBytes(salt.mutable_span(), keys.salt.span());
  salt_high_ = LoadBe64(salt.data());
  salt_low_ = LoadBe64(salt.data() + 8);
}

}  // namespace sluice
