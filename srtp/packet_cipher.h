#ifndef SRTP_PACKET_CIPHER_H_
#define SRTP_PACKET_CIPHER_H_

#include <cstddef>
#include <variant>

#include "absl/types/span.h"
#include "srtp/aes_cm_hmac_cipher.h"
#include "srtp/aes_gcm_cipher.h"
#include "srtp/cipher_suite.h"
#include "srtp/esrtcp_word.h"
#include "srtp/master_key.h"
#include "srtp/packet_kind.h"
#include "srtp/rtp_types.h"

namespace sluice {

// How much longer a protected packet is: tag and, for SRTCP, the ESRTCP word.
constexpr size_t ProtectionOverhead(const CipherSuite& suite, PacketKind kind) {
  return kind == PacketKind::kRtp ? suite.rtp_tag_size : suite.rtcp_tag_size + kEsrtcpWordSize;
}

// Seals and opens single packets with one master key, whatever its suite: the one place that knows
// which transform a suite has. The members are those of AesCmHmacCipher and AesGcmCipher.
class PacketCipher {
 public:
  // Whether there is a cipher for the suite: not for those that encrypt nothing.
  static constexpr bool Supports(const CipherSuite& suite) {
    return suite.transform != PacketTransform::kNull;
  }

  // `key` is of a supported suite.
  explicit PacketCipher(const MasterKey& key);
  PacketCipher(const PacketCipher&) = delete;
  PacketCipher& operator=(const PacketCipher&) = delete;

  const CipherSuite& suite() const { return suite_; }
  size_t overhead(PacketKind kind) const { return ProtectionOverhead(suite_, kind); }
  // Whether a packet that did not open is lost: an AEAD decrypts before it knows.
  bool failed_open_destroys() const { return suite_.aead(); }

  void SealRtp(absl::Span<uint8_t> packet, size_t header_size, Ssrc ssrc, PacketIndex index) const;
  [[nodiscard]] bool OpenRtp(absl::Span<uint8_t> packet, size_t header_size, Ssrc ssrc,
                             PacketIndex index) const;
  void SealRtcp(absl::Span<uint8_t> packet, Ssrc ssrc, EsrtcpWord word) const;
  [[nodiscard]] bool OpenRtcp(absl::Span<uint8_t> packet, Ssrc ssrc, EsrtcpWord word) const;

 private:
  // Calls `f` with the transform that the suite has.
  template <typename F>
  auto With(F f) const;

  const CipherSuite& suite_;
  // Built in place; a variant of two classes is told apart by one compare.
  std::variant<std::monostate, AesCmHmacCipher, AesGcmCipher> transform_;
};

}  // namespace sluice

#endif  // SRTP_PACKET_CIPHER_H_
