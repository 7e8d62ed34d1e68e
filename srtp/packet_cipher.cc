#include "srtp/packet_cipher.h"

#include "base/check.h"
#include "srtp/key_derivation.h"

namespace sluice {

PacketCipher::PacketCipher(const MasterKey& key) : suite_(key.suite()) {
  SLUICE_CHECK(Supports(suite_));
  const SessionKeys rtp = DeriveSessionKeys(key, PacketKind::kRtp);
  const SessionKeys rtcp = DeriveSessionKeys(key, PacketKind::kRtcp);
  if (suite_.aead()) {
    transform_.emplace<AesGcmCipher>(suite_, rtp, rtcp);
  } else {
    transform_.emplace<AesCmHmacCipher>(suite_, rtp, rtcp);
  }
}

template <typename F>
auto PacketCipher::With(F f) const {
  if (const auto* gcm = std::get_if<AesGcmCipher>(&transform_)) {
    return f(*gcm);
  }
  return f(std::get<AesCmHmacCipher>(transform_));
}

void PacketCipher::SealRtp(absl::Span<uint8_t> packet, size_t header_size, Ssrc ssrc,
                           PacketIndex index) const {
  With([&](const auto& transform) { transform.SealRtp(packet, header_size, ssrc, index); });
}

bool PacketCipher::OpenRtp(absl::Span<uint8_t> packet, size_t header_size, Ssrc ssrc,
                           PacketIndex index) const {
  return With(
      [&](const auto& transform) { return transform.OpenRtp(packet, header_size, ssrc, index); });
}

void PacketCipher::SealRtcp(absl::Span<uint8_t> packet, Ssrc ssrc, EsrtcpWord word) const {
  With([&](const auto& transform) { transform.SealRtcp(packet, ssrc, word); });
}

bool PacketCipher::OpenRtcp(absl::Span<uint8_t> packet, Ssrc ssrc, EsrtcpWord word) const {
  return With([&](const auto& transform) { return transform.OpenRtcp(packet, ssrc, word); });
}

}  // namespace sluice
