#include "tests/peers/libsrtp_peer.h"

#include <cstdint>
#include <vector>

#include "base/check.h"
#include "srtp/cipher_suite.h"
#include "srtp/packet_arena.h"

namespace sluice {
namespace {

void Initialize() {
  [[maybe_unused]] static const bool initialized = [] {
    SLUICE_CHECK(srtp_init() == srtp_err_status_ok);
    return true;
  }();
}

void SetProfile(SuiteId suite, srtp_crypto_policy_t& policy) {
  switch (suite) {
    case SuiteId::kAesCm128HmacSha1_80:
      srtp_crypto_policy_set_aes_cm_128_hmac_sha1_80(&policy);
      return;
    case SuiteId::kAes256CmHmacSha1_80:
      srtp_crypto_policy_set_aes_cm_256_hmac_sha1_80(&policy);
      return;
    case SuiteId::kAeadAes128Gcm:
      srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy);
      return;
    case SuiteId::kAeadAes256Gcm:
      srtp_crypto_policy_set_aes_gcm_256_16_auth(&policy);
      return;
    default:
      SLUICE_CHECK(false) << "no row has " << GetCipherSuite(suite).name;
  }
}

// Everything but the profile is libsrtp's default, the replay window of 128 packets too.
srtp_t MakeSession(const MasterKey& key) {
  std::vector<uint8_t> key_and_salt(key.key_and_salt().begin(), key.key_and_salt().end());
  srtp_policy_t policy = {};
  SetProfile(key.suite().id, policy.rtp);
  SetProfile(key.suite().id, policy.rtcp);
  policy.ssrc = {ssrc_specific, PacketRing::kSsrc};
  policy.key = key_and_salt.data();
  srtp_t session = nullptr;
  SLUICE_CHECK(srtp_create(&session, &policy) == srtp_err_status_ok);
  return session;
}

}  // namespace

LibsrtpPeer::LibsrtpPeer(const MasterKey& key, PacketRing& ring) : ring_(ring) {
  Initialize();
  sender_ = MakeSession(key);
  receiver_ = MakeSession(key);
}

LibsrtpPeer::~LibsrtpPeer() {
  srtp_dealloc(sender_);
  srtp_dealloc(receiver_);
}

bool LibsrtpPeer::Protect(size_t first, size_t count) {
  bool ok = true;
  for (size_t slot = first; slot < first + count; ++slot) {
    PacketLoan& packet = ring_.packet(slot);
    int size = static_cast<int>(packet.size());
    ok &= srtp_protect(sender_, packet.bytes().data(), &size) == srtp_err_status_ok;
    ok &= packet.Resize(static_cast<size_t>(size));
  }
  return ok;
}

bool LibsrtpPeer::Unprotect(size_t first, size_t count) {
  bool ok = true;
  for (size_t slot = first; slot < first + count; ++slot) {
    PacketLoan& packet = ring_.packet(slot);
    int size = static_cast<int>(packet.size());
    ok &= srtp_unprotect(receiver_, packet.bytes().data(), &size) == srtp_err_status_ok;
    ok &= packet.Resize(static_cast<size_t>(size));
  }
  return ok;
}

}  // namespace sluice
