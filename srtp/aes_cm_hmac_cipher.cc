#include "srtp/aes_cm_hmac_cipher.h"

#include <openssl/mem.h>

#include "base/byte_order.h"
#include "base/check.h"
#include "base/secret_bytes.h"
#include "srtp/packet_index.h"
#include "srtp/rtcp_packet_view.h"

namespace sluice {
namespace {

// RFC 2104 section 2.
constexpr uint8_t kInnerPad = 0x36;
constexpr uint8_t kOuterPad = 0x5C;

// SHA-1 after the first block of HMAC.
void StartHmac(absl::Span<const uint8_t> key, uint8_t pad, SHA_CTX& state) {
  SecretBytes<SHA_CBLOCK> block;
  CopyBytes(block.mutable_span(), key);
  for (uint8_t& byte : block.mutable_span()) {
    byte ^= pad;
  }
  SHA1_Init(&state);
  SHA1_Update(&state, block.data(), SHA_CBLOCK);
}

}  // namespace

AesCmHmacCipher::Transform::Transform(const SessionKeys& keys) {
  SLUICE_CHECK(keys.salt.size() == kMaxMasterSaltSize);
  SLUICE_CHECK(keys.authentication.size() == kHmacSha1KeySize);
  // Cannot fail: every suite has a key size of AES.
  SLUICE_CHECK(AES_set_encrypt_key(keys.encryption.data(),
                                   static_cast<unsigned>(keys.encryption.size() * 8),
                                   &encryption_) == 0);
  StartHmac(keys.authentication.span(), kInnerPad, inner_);
  StartHmac(keys.authentication.span(), kOuterPad, outer_);
  salt_high_ = LoadBe64(keys.salt.data());
  salt_low_ = LoadBe48(keys.salt.data() + 8) << 16;
}

AesCmHmacCipher::Transform::~Transform() { OPENSSL_cleanse(this, sizeof(*this)); }

void AesCmHmacCipher::Transform::Crypt(absl::Span<uint8_t> data, Ssrc ssrc, uint64_t index) const {
  // RFC 3711 section 4.1.1: IV = (salt * 2^16) XOR (SSRC * 2^64) XOR (i * 2^16).
  uint8_t iv[AES_BLOCK_SIZE];
  StoreBe64(iv, salt_high_ ^ ssrc.value());
  StoreBe64(iv + 8, salt_low_ ^ (index << 16));
  uint8_t keystream_block[AES_BLOCK_SIZE] = {};
  unsigned used = 0;
  AES_ctr128_encrypt(data.data(), data.data(), data.size(), &encryption_, iv, keystream_block,
                     &used);
}

AesCmHmacCipher::Mac AesCmHmacCipher::Transform::Authenticate(
    absl::Span<const uint8_t> first, absl::Span<const uint8_t> second) const {
  Mac mac;
  SHA_CTX state = inner_;
  SHA1_Update(&state, first.data(), first.size());
  SHA1_Update(&state, second.data(), second.size());
  SHA1_Final(mac.data(), &state);
  state = outer_;
  SHA1_Update(&state, mac.data(), mac.size());
  SHA1_Final(mac.data(), &state);
  return mac;
}

AesCmHmacCipher::AesCmHmacCipher(const CipherSuite& suite, const SessionKeys& rtp,
                                 const SessionKeys& rtcp)
    : rtp_(rtp),
      rtcp_(rtcp),
      rtp_tag_size_(suite.rtp_tag_size),
      rtcp_tag_size_(suite.rtcp_tag_size) {
  SLUICE_CHECK(!suite.aead());
}

AesCmHmacCipher::~AesCmHmacCipher() = default;

AesCmHmacCipher::Mac AesCmHmacCipher::RtpMac(absl::Span<const uint8_t> authenticated,
                                             PacketIndex index) const {
  // RFC 3711 section 4.2: M = Authenticated Portion || ROC.
  uint8_t roc[4];
  StoreBe32(roc, RocOf(index).value());
  return rtp_.Authenticate(authenticated, roc);
}

void AesCmHmacCipher::SealRtp(absl::Span<uint8_t> packet, size_t header_size, Ssrc ssrc,
                              PacketIndex index) const {
  SLUICE_DCHECK(packet.size() >= header_size + rtp_tag_size_);
  const size_t size = packet.size() - rtp_tag_size_;
  rtp_.Crypt(packet.subspan(header_size, size - header_size), ssrc, index.value());
  const Mac mac = RtpMac(packet.first(size), index);
  CopyBytes(packet.subspan(size), absl::MakeConstSpan(mac).first(rtp_tag_size_));
}

bool AesCmHmacCipher::OpenRtp(absl::Span<uint8_t> packet, size_t header_size, Ssrc ssrc,
                              PacketIndex index) const {
  SLUICE_DCHECK(packet.size() >= header_size + rtp_tag_size_);
  const size_t size = packet.size() - rtp_tag_size_;
  const Mac mac = RtpMac(packet.first(size), index);
  if (!ConstantTimeEquals(packet.subspan(size), absl::MakeConstSpan(mac).first(rtp_tag_size_))) {
    return false;
  }
  rtp_.Crypt(packet.subspan(header_size, size - header_size), ssrc, index.value());
  return true;
}

void AesCmHmacCipher::SealRtcp(absl::Span<uint8_t> packet, Ssrc ssrc, EsrtcpWord word) const {
  SLUICE_DCHECK(packet.size() >= kRtcpFirstHeaderSize + kEsrtcpWordSize + rtcp_tag_size_);
  const size_t authenticated = packet.size() - rtcp_tag_size_;
  const size_t size = authenticated - kEsrtcpWordSize;
  if (word.encrypted) {
    rtcp_.Crypt(packet.subspan(kRtcpFirstHeaderSize, size - kRtcpFirstHeaderSize), ssrc,
                word.index.value());
  }
  StoreBe32(packet.data() + size, word.ToWire());
  const Mac mac = rtcp_.Authenticate(packet.first(authenticated), {});
  CopyBytes(packet.subspan(authenticated), absl::MakeConstSpan(mac).first(rtcp_tag_size_));
}

bool AesCmHmacCipher::OpenRtcp(absl::Span<uint8_t> packet, Ssrc ssrc, EsrtcpWord word) const {
  SLUICE_DCHECK(packet.size() >= kRtcpFirstHeaderSize + kEsrtcpWordSize + rtcp_tag_size_);
  const size_t authenticated = packet.size() - rtcp_tag_size_;
  const size_t size = authenticated - kEsrtcpWordSize;
  const Mac mac = rtcp_.Authenticate(packet.first(authenticated), {});
  if (!ConstantTimeEquals(packet.subspan(authenticated),
                          absl::MakeConstSpan(mac).first(rtcp_tag_size_))) {
    return false;
  }
  if (word.encrypted) {
    rtcp_.Crypt(packet.subspan(kRtcpFirstHeaderSize, size - kRtcpFirstHeaderSize), ssrc,
                word.index.value());
  }
  return true;
}

}  // namespace sluice
