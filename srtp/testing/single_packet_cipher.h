#ifndef SRTP_TESTING_SINGLE_PACKET_CIPHER_H_
#define SRTP_TESTING_SINGLE_PACKET_CIPHER_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "srtp/cipher_suite.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/esrtcp_word.h"
#include "srtp/key_derivation.h"
#include "srtp/master_key.h"
#include "srtp/mki.h"
#include "srtp/packet_keys.h"
#include "srtp/packet_kind.h"
#include "srtp/packet_layout.h"
#include "srtp/rtp_shape.h"
#include "srtp/rtp_types.h"

namespace sluice {

// Seals and opens single packets under keys and an index of the test's choice, with the code that
// sender and receiver use. A packet is all of it: what is sealed has room for its trailer.
class SinglePacketCipher {
 public:
  // `engine` outlives the object.
  SinglePacketCipher(const MasterKey& key, CryptoEngine& engine, const Mki& mki = Mki());
  SinglePacketCipher(const CipherSuite& suite, const SessionKeys& rtp, const SessionKeys& rtcp,
                     CryptoEngine& engine);

  size_t overhead(PacketKind kind) const {
    return kind == PacketKind::kRtp ? rtp_layout_.overhead : rtcp_layout_.overhead;
  }

  void SealRtp(absl::Span<uint8_t> packet, size_t header_size, Ssrc ssrc, PacketIndex index) {
    SealRtp(packet, RtpShape{header_size, 0, false}, ssrc, index);
  }
  void SealRtp(absl::Span<uint8_t> packet, const RtpShape& shape, Ssrc ssrc, PacketIndex index);
  [[nodiscard]] bool OpenRtp(absl::Span<uint8_t> packet, size_t header_size, Ssrc ssrc,
                             PacketIndex index) {
    return OpenRtp(packet, RtpShape{header_size, 0, false}, ssrc, index);
  }
  [[nodiscard]] bool OpenRtp(absl::Span<uint8_t> packet, const RtpShape& shape, Ssrc ssrc,
                             PacketIndex index);
  void SealRtcp(absl::Span<uint8_t> packet, Ssrc ssrc, EsrtcpWord word);
  [[nodiscard]] bool OpenRtcp(absl::Span<uint8_t> packet, Ssrc ssrc, EsrtcpWord word);

  // The word that a protected packet carries.
  EsrtcpWord ReadWord(absl::Span<const uint8_t> packet) const;

 private:
  CryptoEngine& engine_;
  const Mki mki_;
  const PacketLayout rtp_layout_;
  const PacketLayout rtcp_layout_;
  PacketKeys rtp_;
  PacketKeys rtcp_;
};

}  // namespace sluice

#endif  // SRTP_TESTING_SINGLE_PACKET_CIPHER_H_
