#ifndef SRTP_OPEN_PACKET_H_
#define SRTP_OPEN_PACKET_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/esrtcp_word.h"
#include "srtp/packet_keys.h"
#include "srtp/packet_layout.h"
#include "srtp/rtp_shape.h"
#include "srtp/rtp_types.h"

namespace sluice {

// Opening of protected packets whose keys and index are assumed: whether the assumption was right
// is what the tag says. Knows nothing of streams. `packet` is all of a packet, long enough for its
// header and `layout`, which is the one of the keys' suite and the kind of packet. No allocation.
//
// A packet that does not open is as it was with HMAC suites; with AEAD suites what was to be
// decrypted is zeros.

// Decrypts in place what lies between header and tag. A cryptex packet stays marked as one.
[[nodiscard]] bool OpenRtp(CryptoEngine& engine, const PacketKeys& keys, const PacketLayout& layout,
                           absl::Span<uint8_t> packet, const RtpShape& shape, Ssrc ssrc,
                           PacketIndex index);
// `word` is the packet's own.
[[nodiscard]] bool OpenRtcp(CryptoEngine& engine, const PacketKeys& keys,
                            const PacketLayout& layout, absl::Span<uint8_t> packet, Ssrc ssrc,
                            EsrtcpWord word);

// For HMAC suites the two halves, so that a receiver can have the first done for many packets at
// once, and the second only for those that are true.

// The bytes behind the payload while they make room for the ROC.
class AuthenticatedPortion {
 public:
  // Puts the ROC behind the payload of an RTP packet (RFC 3711 section 4.2).
  static AuthenticatedPortion OfRtp(const PacketLayout& layout, absl::Span<uint8_t> packet,
                                    Roc roc);
  // RFC 3711 section 3.4: the word is in its place already.
  static AuthenticatedPortion OfRtcp(const PacketLayout& layout, absl::Span<uint8_t> packet);

  const uint8_t* data() const { return data_; }
  size_t size() const { return size_; }

  // Gives the packet its bytes back, and says whether `mac`, of kMacSize bytes, is that of its tag.
  // Constant-time in the tag.
  [[nodiscard]] bool Verify(const uint8_t* mac) const;

 private:
  uint8_t* data_;
  size_t size_;
  // The packet's own bytes where the ROC is now.
  uint32_t displaced_;
  bool has_roc_;
  const uint8_t* tag_;
  size_t tag_size_;
};

// What is to be decrypted of an authenticated packet; null key when nothing is (NULL suites, E =
// 0). `vector` outlives the job. A cryptex packet is made ready for it, and has to be moved back
// afterwards (MoveExtensionHeaderBack).
CounterModeJob DecryptionOfRtp(const PacketKeys& keys, const PacketLayout& layout,
                               absl::Span<uint8_t> packet, const RtpShape& shape, Ssrc ssrc,
                               PacketIndex index, InitialVector& vector);
CounterModeJob DecryptionOfRtcp(const PacketKeys& keys, const PacketLayout& layout,
                                absl::Span<uint8_t> packet, Ssrc ssrc, EsrtcpWord word,
                                InitialVector& vector);

}  // namespace sluice

#endif  // SRTP_OPEN_PACKET_H_
