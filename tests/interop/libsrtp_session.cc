#include "tests/interop/libsrtp_session.h"

#include <array>

#include "base/byte_order.h"
#include "gtest/gtest.h"
#include "srtp/cipher_suite.h"
#include "srtp/packet_arena.h"

namespace sluice {
namespace {

void SetCryptoPolicy(SuiteId suite, srtp_policy_t& policy) {
  switch (suite) {
    case SuiteId::kAesCm128HmacSha1_80:
      srtp_crypto_policy_set_aes_cm_128_hmac_sha1_80(&policy.rtp);
      srtp_crypto_policy_set_aes_cm_128_hmac_sha1_80(&policy.rtcp);
      break;
    case SuiteId::kAesCm128HmacSha1_32:
      srtp_crypto_policy_set_aes_cm_128_hmac_sha1_32(&policy.rtp);
      srtp_crypto_policy_set_aes_cm_128_hmac_sha1_80(&policy.rtcp);
      break;
    case SuiteId::kAeadAes128Gcm:
      srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtp);
      srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtcp);
      break;
    case SuiteId::kAeadAes256Gcm:
      srtp_crypto_policy_set_aes_gcm_256_16_auth(&policy.rtp);
      srtp_crypto_policy_set_aes_gcm_256_16_auth(&policy.rtcp);
      break;
    case SuiteId::kAes192CmHmacSha1_80:
      srtp_crypto_policy_set_aes_cm_192_hmac_sha1_80(&policy.rtp);
      srtp_crypto_policy_set_aes_cm_192_hmac_sha1_80(&policy.rtcp);
      break;
    case SuiteId::kAes192CmHmacSha1_32:
      srtp_crypto_policy_set_aes_cm_192_hmac_sha1_32(&policy.rtp);
      srtp_crypto_policy_set_aes_cm_192_hmac_sha1_80(&policy.rtcp);
      break;
    case SuiteId::kAes256CmHmacSha1_80:
      srtp_crypto_policy_set_aes_cm_256_hmac_sha1_80(&policy.rtp);
      srtp_crypto_policy_set_aes_cm_256_hmac_sha1_80(&policy.rtcp);
      break;
    case SuiteId::kAes256CmHmacSha1_32:
      srtp_crypto_policy_set_aes_cm_256_hmac_sha1_32(&policy.rtp);
      srtp_crypto_policy_set_aes_cm_256_hmac_sha1_80(&policy.rtcp);
      break;
    case SuiteId::kNullHmacSha1_80:
    case SuiteId::kNullHmacSha1_32:
      // "Confidential" with a cipher that does nothing: the E flag is set then, as ours is.
      srtp_crypto_policy_set_null_cipher_hmac_sha1_80(&policy.rtp);
      srtp_crypto_policy_set_null_cipher_hmac_sha1_80(&policy.rtcp);
      policy.rtp.auth_tag_len = static_cast<int>(GetCipherSuite(suite).rtp_tag_size);
      policy.rtp.sec_serv = sec_serv_conf_and_auth;
      policy.rtcp.sec_serv = sec_serv_conf_and_auth;
      break;
  }
}

// A policy with everything that it points to.
class Policy {
 public:
  Policy(const std::vector<LibsrtpKey>& keys, srtp_ssrc_type_t direction,
         const LibsrtpOptions& options)
      : extensions_(options.encrypted_extensions) {
    SetCryptoPolicy(keys[0].master->suite().id, policy_);
    if (!options.encrypt_rtcp) policy_.rtcp.sec_serv = sec_serv_auth;
    policy_.ssrc.type = direction;
    policy_.window_size = options.rtp_window;
    policy_.enc_xtn_hdr = extensions_.data();
    policy_.enc_xtn_hdr_count = static_cast<int>(extensions_.size());
    masters_.reserve(keys.size());
    for (const LibsrtpKey& key : keys) {
      const absl::Span<const uint8_t> bytes = key.master->key_and_salt();
      masters_.push_back(
          {{bytes.begin(), bytes.end()}, {key.mki.bytes().begin(), key.mki.bytes().end()}, {}});
      Master& master = masters_.back();
      master.key = {master.bytes.data(), master.mki.data(),
                    static_cast<unsigned>(master.mki.size())};
      pointers_.push_back(&master.key);
    }
    if (keys[0].mki.empty()) {
      policy_.key = masters_[0].bytes.data();
    } else {
      policy_.keys = pointers_.data();
      policy_.num_master_keys = pointers_.size();
    }
  }
  const srtp_policy_t* get() const { return &policy_; }

 private:
  struct Master {
    std::vector<uint8_t> bytes;
    std::vector<uint8_t> mki;
    srtp_master_key_t key;
  };
  std::vector<int> extensions_;
  std::vector<Master> masters_;
  std::vector<srtp_master_key_t*> pointers_;
  srtp_policy_t policy_ = {};
};

// Runs `call(packet, &size)` on a copy of `bytes` with room behind it.
template <typename Call>
srtp_err_status_t InPlace(std::vector<uint8_t>& bytes, Call call) {
  // libsrtp reads headers as structs of 32-bit words.
  alignas(16) std::array<uint8_t, kPacketSlotSize> buffer;
  CopyBytes(absl::MakeSpan(buffer), bytes);
  int size = static_cast<int>(bytes.size());
  const srtp_err_status_t status = call(buffer.data(), &size);
  if (status == srtp_err_status_ok) {
    bytes.assign(buffer.begin(), buffer.begin() + size);
  }
  return status;
}

}  // namespace

LibsrtpSession::LibsrtpSession(const std::vector<LibsrtpKey>& keys, srtp_ssrc_type_t direction,
                               const LibsrtpOptions& options)
    : direction_(direction), options_(options), has_mki_(!keys[0].mki.empty()) {
  EXPECT_EQ(srtp_create(&session_, Policy(keys, direction, options).get()), srtp_err_status_ok);
}

LibsrtpSession::~LibsrtpSession() { EXPECT_EQ(srtp_dealloc(session_), srtp_err_status_ok); }

void LibsrtpSession::Rekey(const std::vector<LibsrtpKey>& keys) {
  EXPECT_EQ(srtp_update(session_, Policy(keys, direction_, options_).get()), srtp_err_status_ok);
}

srtp_err_status_t LibsrtpSession::Try(const std::vector<LibsrtpKey>& keys,
                                      const LibsrtpOptions& options) {
  srtp_t session = nullptr;
  const srtp_err_status_t status =
      srtp_create(&session, Policy(keys, ssrc_any_inbound, options).get());
  if (status == srtp_err_status_ok) {
    EXPECT_EQ(srtp_dealloc(session), srtp_err_status_ok);
  }
  return status;
}

srtp_err_status_t LibsrtpSession::Protect(std::vector<uint8_t>& bytes, PacketKind kind,
                                          unsigned key) {
  return InPlace(bytes, [&](uint8_t* packet, int* size) {
    return kind == PacketKind::kRtp
               ? srtp_protect_mki(session_, packet, size, has_mki_ ? 1 : 0, key)
               : srtp_protect_rtcp_mki(session_, packet, size, has_mki_ ? 1 : 0, key);
  });
}

srtp_err_status_t LibsrtpSession::Unprotect(std::vector<uint8_t>& bytes, PacketKind kind) {
  return InPlace(bytes, [&](uint8_t* packet, int* size) {
    return kind == PacketKind::kRtp
               ? srtp_unprotect_mki(session_, packet, size, has_mki_ ? 1 : 0)
               : srtp_unprotect_rtcp_mki(session_, packet, size, has_mki_ ? 1 : 0);
  });
}

void SetUpLibsrtp() { ASSERT_EQ(srtp_init(), srtp_err_status_ok); }
void TearDownLibsrtp() { ASSERT_EQ(srtp_shutdown(), srtp_err_status_ok); }

UnprotectVerdict VerdictOf(srtp_err_status_t status) {
  switch (status) {
    case srtp_err_status_ok:
      return UnprotectVerdict::kOk;
    case srtp_err_status_auth_fail:
    // An AEAD tag that is not true.
    case srtp_err_status_cipher_fail:
      return UnprotectVerdict::kAuthFailed;
    case srtp_err_status_replay_fail:
      return UnprotectVerdict::kReplayed;
    case srtp_err_status_replay_old:
      return UnprotectVerdict::kTooOld;
    case srtp_err_status_bad_mki:
      return UnprotectVerdict::kUnknownMki;
    default:
      return UnprotectVerdict::kMalformed;
  }
}

}  // namespace sluice
