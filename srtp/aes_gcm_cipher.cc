#include "srtp/aes_gcm_cipher.h"

#include <openssl/mem.h>

#include <array>

#include "base/byte_order.h"
#include "base/check.h"
#include "srtp/crypto/openssl_error.h"
#include "srtp/rtcp_packet_view.h"

namespace sluice {
namespace {

// RFC 7714 section 8.1.
constexpr size_t kIvSize = 12;
// RFC 7714 section 13.2: shorter tags are not to be used.
constexpr size_t kTagSize = 16;

// Associated data of an encrypted SRTCP packet, which does not lie in one piece.
using RtcpAssociated = std::array<uint8_t, kRtcpFirstHeaderSize + kEsrtcpWordSize>;

RtcpAssociated JoinAssociated(absl::Span<const uint8_t> packet, EsrtcpWord word) {
  RtcpAssociated associated;
  CopyBytes(absl::MakeSpan(associated), packet.first(kRtcpFirstHeaderSize));
  StoreBe32(associated.data() + kRtcpFirstHeaderSize, word.ToWire());
  return associated;
}

}  // namespace

AesGcmCipher::Transform::Transform(const CipherSuite& suite, const SessionKeys& keys) {
  SLUICE_CHECK(keys.salt.size() == kIvSize);
  SLUICE_CHECK(keys.encryption.size() == suite.key_size);
  const EVP_AEAD* algorithm =
      suite.id == SuiteId::kAeadAes256Gcm ? EVP_aead_aes_256_gcm() : EVP_aead_aes_128_gcm();
  // Cannot fail: key and tag sizes are the algorithm's.
  SLUICE_CHECK(EVP_AEAD_CTX_init(&aead_, algorithm, keys.encryption.data(), keys.encryption.size(),
                                 kTagSize, nullptr) == 1);
  salt_high_ = LoadBe64(keys.salt.data());
  salt_low_ = LoadBe32(keys.salt.data() + 8);
}

AesGcmCipher::Transform::~Transform() {
  EVP_AEAD_CTX_cleanup(&aead_);
  OPENSSL_cleanse(this, sizeof(*this));
}

void AesGcmCipher::Transform::MakeIv(Ssrc ssrc, uint64_t index, uint8_t* iv) const {
  // Salt XOR (00 00 || SSRC || ROC || SEQ) for RTP, salt XOR (00 00 || SSRC || 00 00 || index) for
  // RTCP (RFC 7714 sections 8.1, 9.1): 48 bits of index behind the SSRC either way.
  StoreBe64(iv, salt_high_ ^ (uint64_t{ssrc.value()} << 16) ^ (index >> 32));
  StoreBe32(iv + 8, salt_low_ ^ static_cast<uint32_t>(index));
}

void AesGcmCipher::Transform::Seal(absl::Span<const uint8_t> associated, absl::Span<uint8_t> data,
                                   absl::Span<uint8_t> tag, Ssrc ssrc, uint64_t index) const {
  uint8_t iv[kIvSize];
  MakeIv(ssrc, index, iv);
  size_t tag_size = 0;
  // Fails only for wrong sizes; a packet that would leave unencrypted must not.
  SLUICE_CHECK(EVP_AEAD_CTX_seal_scatter(&aead_, data.data(), tag.data(), &tag_size, kTagSize, iv,
                                         kIvSize, data.data(), data.size(), nullptr, 0,
                                         associated.data(), associated.size()) == 1);
}

bool AesGcmCipher::Transform::Open(absl::Span<const uint8_t> associated, absl::Span<uint8_t> data,
                                   absl::Span<const uint8_t> tag, Ssrc ssrc, uint64_t index) const {
  uint8_t iv[kIvSize];
  MakeIv(ssrc, index, iv);
  if (EVP_AEAD_CTX_open_gather(&aead_, data.data(), iv, kIvSize, data.data(), data.size(),
                               tag.data(), kTagSize, associated.data(), associated.size()) == 1) {
    return true;
  }
  DrainOpensslErrors();
  return false;
}

AesGcmCipher::AesGcmCipher(const CipherSuite& suite, const SessionKeys& rtp,
                           const SessionKeys& rtcp)
    : rtp_(suite, rtp), rtcp_(suite, rtcp) {
  SLUICE_CHECK(suite.aead());
  SLUICE_CHECK(suite.rtp_tag_size == kTagSize && suite.rtcp_tag_size == kTagSize);
}

AesGcmCipher::~AesGcmCipher() = default;

void AesGcmCipher::SealRtp(absl::Span<uint8_t> packet, size_t header_size, Ssrc ssrc,
                           PacketIndex index) const {
  SLUICE_DCHECK(packet.size() >= header_size + kTagSize);
  const size_t size = packet.size() - kTagSize;
  rtp_.Seal(packet.first(header_size), packet.subspan(header_size, size - header_size),
            packet.subspan(size), ssrc, index.value());
}

bool AesGcmCipher::OpenRtp(absl::Span<uint8_t> packet, size_t header_size, Ssrc ssrc,
                           PacketIndex index) const {
  SLUICE_DCHECK(packet.size() >= header_size + kTagSize);
  const size_t size = packet.size() - kTagSize;
  return rtp_.Open(packet.first(header_size), packet.subspan(header_size, size - header_size),
                   packet.subspan(size), ssrc, index.value());
}

void AesGcmCipher::SealRtcp(absl::Span<uint8_t> packet, Ssrc ssrc, EsrtcpWord word) const {
  SLUICE_DCHECK(packet.size() >= kRtcpFirstHeaderSize + kTagSize + kEsrtcpWordSize);
  const size_t size = packet.size() - kTagSize - kEsrtcpWordSize;
  const absl::Span<uint8_t> tag = packet.subspan(size, kTagSize);
  if (word.encrypted) {
    rtcp_.Seal(JoinAssociated(packet, word),
               packet.subspan(kRtcpFirstHeaderSize, size - kRtcpFirstHeaderSize), tag, ssrc,
               word.index.value());
  } else {
    // RFC 7714 section 9.3: all is associated data, the word last. It is put where the tag will be.
    StoreBe32(tag.data(), word.ToWire());
    std::array<uint8_t, kTagSize> computed;
    rtcp_.Seal(packet.first(size + kEsrtcpWordSize), {}, absl::MakeSpan(computed), ssrc,
               word.index.value());
    CopyBytes(tag, computed);
  }
  StoreBe32(packet.data() + size + kTagSize, word.ToWire());
}

bool AesGcmCipher::OpenRtcp(absl::Span<uint8_t> packet, Ssrc ssrc, EsrtcpWord word) const {
  SLUICE_DCHECK(packet.size() >= kRtcpFirstHeaderSize + kTagSize + kEsrtcpWordSize);
  const size_t size = packet.size() - kTagSize - kEsrtcpWordSize;
  const absl::Span<uint8_t> tag = packet.subspan(size, kTagSize);
  if (word.encrypted) {
    return rtcp_.Open(JoinAssociated(packet, word),
                      packet.subspan(kRtcpFirstHeaderSize, size - kRtcpFirstHeaderSize), tag, ssrc,
                      word.index.value());
  }
  // As in SealRtcp: associated data must lie in one piece, so the word borrows the tag's place.
  std::array<uint8_t, kTagSize> received;
  CopyBytes(absl::MakeSpan(received), tag);
  StoreBe32(tag.data(), word.ToWire());
  const bool opened =
      rtcp_.Open(packet.first(size + kEsrtcpWordSize), {}, received, ssrc, word.index.value());
  CopyBytes(tag, received);
  return opened;
}

}  // namespace sluice
