#include "tests/e2e/libsrtp_session.h"

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

// As the gateway's own (shared/product.md): libsrtp's default of 128 packets is less than a test
// may hold back.
constexpr unsigned long kReplayWindow = 1024;

// RFC 4568 section 6.2, RFC 6188 section 4, RFC 7714 section 14.2: master key and salt together.
size_t KeySize(pb::CryptoSuite suite) {
  switch (suite) {
    case pb::CRYPTO_SUITE_AEAD_AES_128_GCM:
      return 28;
    case pb::CRYPTO_SUITE_AEAD_AES_256_GCM:
      return 44;
    case pb::CRYPTO_SUITE_AES_192_CM_HMAC_SHA1_80:
    case pb::CRYPTO_SUITE_AES_192_CM_HMAC_SHA1_32:
      return 38;
    case pb::CRYPTO_SUITE_AES_256_CM_HMAC_SHA1_80:
    case pb::CRYPTO_SUITE_AES_256_CM_HMAC_SHA1_32:
      return 46;
    default:
      return 30;
  }
}

// `key_bytes` is what the policy points to and outlives it.
srtp_policy_t MakePolicy(const pb::SrtpKey& key, std::string& key_bytes, srtp_ssrc_type_t ssrcs) {
  static const srtp_err_status_t initialized = srtp_init();
  EXPECT_EQ(initialized, srtp_err_status_ok);
  srtp_policy_t policy = {};
  switch (key.suite()) {
    case pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80:
      srtp_crypto_policy_set_aes_cm_128_hmac_sha1_80(&policy.rtp);
      srtp_crypto_policy_set_aes_cm_128_hmac_sha1_80(&policy.rtcp);
      break;
    case pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_32:
      srtp_crypto_policy_set_aes_cm_128_hmac_sha1_32(&policy.rtp);
      // RFC 4568 section 6.2.2: the tag of SRTCP stays at 80 bits.
      srtp_crypto_policy_set_aes_cm_128_hmac_sha1_80(&policy.rtcp);
      break;
    case pb::CRYPTO_SUITE_AES_256_CM_HMAC_SHA1_80:
      srtp_crypto_policy_set_aes_cm_256_hmac_sha1_80(&policy.rtp);
      srtp_crypto_policy_set_aes_cm_256_hmac_sha1_80(&policy.rtcp);
      break;
    case pb::CRYPTO_SUITE_AES_256_CM_HMAC_SHA1_32:
      srtp_crypto_policy_set_aes_cm_256_hmac_sha1_32(&policy.rtp);
      srtp_crypto_policy_set_aes_cm_256_hmac_sha1_80(&policy.rtcp);
      break;
    case pb::CRYPTO_SUITE_NULL_HMAC_SHA1_80:
      srtp_crypto_policy_set_null_cipher_hmac_sha1_80(&policy.rtp);
      srtp_crypto_policy_set_null_cipher_hmac_sha1_80(&policy.rtcp);
      break;
    case pb::CRYPTO_SUITE_AEAD_AES_128_GCM:
      srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtp);
      srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtcp);
      break;
    case pb::CRYPTO_SUITE_AEAD_AES_256_GCM:
      srtp_crypto_policy_set_aes_gcm_256_16_auth(&policy.rtp);
      srtp_crypto_policy_set_aes_gcm_256_16_auth(&policy.rtcp);
      break;
    default:
      ADD_FAILURE() << "no such suite: " << key.suite();
  }
  EXPECT_EQ(key.master_key_and_salt().size(), KeySize(key.suite()));
  key_bytes = key.master_key_and_salt();
  policy.key = reinterpret_cast<unsigned char*>(key_bytes.data());
  policy.ssrc.type = ssrcs;
  policy.window_size = kReplayWindow;
  return policy;
}

LibsrtpSession MakeSession(const srtp_policy_t& policy) {
  srtp_t session = nullptr;
  EXPECT_EQ(srtp_create(&session, &policy), srtp_err_status_ok);
  return LibsrtpSession(session);
}

// Runs one of libsrtp's functions that change a packet in place and may make it longer.
template <typename Function>
srtp_err_status_t Transform(Function function, srtp_t session, Bytes& packet) {
  int size = static_cast<int>(packet.size());
  packet.resize(packet.size() + SRTP_MAX_TRAILER_LEN + 4);
  const srtp_err_status_t status = function(session, packet.data(), &size);
  packet.resize(static_cast<size_t>(std::max(size, 0)));
  return status;
}

uint32_t SsrcOf(absl::Span<const uint8_t> rtp) {
  return uint32_t{rtp[8]} << 24 | uint32_t{rtp[9]} << 16 | uint32_t{rtp[10]} << 8 | rtp[11];
}

}  // namespace

pb::SrtpKey MakeTestKey(pb::CryptoSuite suite, uint32_t number) {
  const std::string seed = absl::StrCat("key ", number, " of suite ", static_cast<int>(suite));
  std::array<uint8_t, SHA512_DIGEST_LENGTH> digest;
  SHA512(reinterpret_cast<const uint8_t*>(seed.data()), seed.size(), digest.data());
  pb::SrtpKey key;
  key.set_suite(suite);
  key.set_master_key_and_salt(digest.data(), KeySize(suite));
  return key;
}

size_t RtpTagSize(pb::CryptoSuite suite) {
  switch (suite) {
    case pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_80:
    case pb::CRYPTO_SUITE_AES_256_CM_HMAC_SHA1_80:
    case pb::CRYPTO_SUITE_NULL_HMAC_SHA1_80:
      return 10;
    case pb::CRYPTO_SUITE_AES_CM_128_HMAC_SHA1_32:
    case pb::CRYPTO_SUITE_AES_256_CM_HMAC_SHA1_32:
      return 4;
    default:
      return 16;
  }
}

LibsrtpSender::LibsrtpSender(const pb::SrtpKey& key, Rtcp rtcp) {
  std::string key_bytes;
  srtp_policy_t policy = MakePolicy(key, key_bytes, ssrc_any_outbound);
  if (rtcp == Rtcp::kInTheClear) {
    policy.rtcp.sec_serv = sec_serv_auth;
  }
  session_ = MakeSession(policy);
}

Bytes LibsrtpSender::ProtectRtp(absl::Span<const uint8_t> packet) {
  Bytes bytes(packet.begin(), packet.end());
  const srtp_err_status_t status = Transform(srtp_protect, session_.get(), bytes);
  EXPECT_EQ(status, srtp_err_status_ok) << "libsrtp does not protect an RTP packet";
  return bytes;
}

Bytes LibsrtpSender::ProtectRtcp(absl::Span<const uint8_t> packet) {
  Bytes bytes(packet.begin(), packet.end());
  const srtp_err_status_t status = Transform(srtp_protect_rtcp, session_.get(), bytes);
  EXPECT_EQ(status, srtp_err_status_ok) << "libsrtp does not protect an RTCP packet";
  return bytes;
}

void LibsrtpSender::ChangeKey(const pb::SrtpKey& key) {
  std::string key_bytes;
  const srtp_policy_t policy = MakePolicy(key, key_bytes, ssrc_any_outbound);
  EXPECT_EQ(srtp_update(session_.get(), &policy), srtp_err_status_ok);
}

LibsrtpReceiver::LibsrtpReceiver(const pb::SrtpKey& key) {
  std::string key_bytes;
  session_ = MakeSession(MakePolicy(key, key_bytes, ssrc_any_inbound));
}

LibsrtpReceiver::LibsrtpReceiver(const pb::SrtpKey& key, const LibsrtpReceiver& before)
    : LibsrtpReceiver(key) {
  ssrcs_ = before.ssrcs_;
  for (const uint32_t ssrc : ssrcs_) {
    uint32_t rollovers = 0;
    EXPECT_EQ(srtp_get_stream_roc(before.session_.get(), ssrc, &rollovers), srtp_err_status_ok);
    std::string key_bytes;
    srtp_policy_t policy = MakePolicy(key, key_bytes, ssrc_specific);
    policy.ssrc.value = ssrc;
    EXPECT_EQ(srtp_add_stream(session_.get(), &policy), srtp_err_status_ok);
    EXPECT_EQ(srtp_set_stream_roc(session_.get(), ssrc, rollovers), srtp_err_status_ok);
  }
}

std::optional<Bytes> LibsrtpReceiver::OpenRtp(absl::Span<const uint8_t> packet) {
  Bytes bytes(packet.begin(), packet.end());
  if (Transform(srtp_unprotect, session_.get(), bytes) != srtp_err_status_ok) {
    return std::nullopt;
  }
  ssrcs_.insert(SsrcOf(bytes));
  return bytes;
}

std::optional<Bytes> LibsrtpReceiver::OpenRtcp(absl::Span<const uint8_t> packet) {
  Bytes bytes(packet.begin(), packet.end());
  if (Transform(srtp_unprotect_rtcp, session_.get(), bytes) != srtp_err_status_ok) {
    return std::nullopt;
  }
  return bytes;
}

}  // namespace sluice
