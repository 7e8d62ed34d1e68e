#ifndef SRTP_OPEN_PACKET_H_
#define SRTP_OPEN_PACKET_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "base/secret_bytes.h"
#include "srtp/cryptex.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/esrtcp_word.h"
#include "srtp/packet_keys.h"
#include "srtp/packet_layout.h"
#include "srtp/rtcp_packet_view.h"
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
[[nodiscard]] inline bool OpenRtp(CryptoEngine& engine, const PacketKeys& keys,
                                  const PacketLayout& layout, absl::Span<uint8_t> packet,
                                  const RtpShape& shape, Ssrc ssrc, PacketIndex index);
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
                                    Roc roc) {
    AuthenticatedPortion portion = OfRtcp(layout, packet);
    portion.size_ = packet.size() - layout.overhead + sizeof(uint32_t);
    portion.has_roc_ = true;
    portion.displaced_ = LoadBe32(portion.roc());
    StoreBe32(portion.roc(), roc.value());
    return portion;
  }
  // RFC 3711 section 3.4: the word is in its place already.
  static AuthenticatedPortion OfRtcp(const PacketLayout& layout, absl::Span<uint8_t> packet) {
    AuthenticatedPortion portion;
    portion.data_ = packet.data();
    portion.size_ = packet.size() - layout.overhead + kEsrtcpWordSize;
    portion.has_roc_ = false;
    portion.displaced_ = 0;
    portion.tag_ = packet.data() + packet.size() - layout.tag_from_end;
    portion.tag_size_ = layout.tag_size;
    return portion;
  }

  const uint8_t* data() const { return data_; }
  size_t size() const { return size_; }

  // Gives the packet its bytes back, and says whether `mac`, of kMacSize bytes, is that of its tag.
  // Constant-time in the tag.
  [[nodiscard]] bool Verify(const uint8_t* mac) const {
    if (has_roc_) {
      StoreBe32(roc(), displaced_);
    }
    if (tag_size_ == 10) {
      // In words, which takes the same time wherever they differ, and less than a loop.
      return ((LoadBe64(tag_) ^ LoadBe64(mac)) |
              static_cast<uint64_t>(LoadBe16(tag_ + 8) ^ LoadBe16(mac + 8))) == 0;
    }
    return ConstantTimeEquals({tag_, tag_size_}, {mac, tag_size_});
  }

 private:
  uint8_t* roc() const { return data_ + size_ - sizeof(uint32_t); }

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
inline CounterModeJob DecryptionOfRtp(const PacketKeys& keys, const PacketLayout& layout,
                                      absl::Span<uint8_t> packet, const RtpShape& shape, Ssrc ssrc,
                                      PacketIndex index, InitialVector& vector) {
  if (shape.cryptex) {
    MoveExtensionHeaderForward(packet, shape.csrc_count);
  }
  const size_t clear = shape.clear_size();
  vector = keys.VectorOf(ssrc, index.value());
  return {keys.counter_mode(), vector.bytes(), packet.data() + clear,
          packet.size() - layout.overhead - clear};
}
inline CounterModeJob DecryptionOfRtcp(const PacketKeys& keys, const PacketLayout& layout,
                                       absl::Span<uint8_t> packet, Ssrc ssrc, EsrtcpWord word,
                                       InitialVector& vector) {
  vector = keys.VectorOf(ssrc, word.index.value());
  return {word.encrypted ? keys.counter_mode() : nullptr, vector.bytes(),
          packet.data() + kRtcpFirstHeaderSize,
          packet.size() - layout.overhead - kRtcpFirstHeaderSize};
}

// OpenRtp of an AEAD suite, and of an HMAC suite.
[[nodiscard]] inline bool OpenGcmRtp(CryptoEngine& engine, const PacketKeys& keys,
                                     const PacketLayout& layout, absl::Span<uint8_t> packet,
                                     const RtpShape& shape, Ssrc ssrc, PacketIndex index) {
  const size_t clear = shape.clear_size();
  if (shape.cryptex) {
    MoveExtensionHeaderForward(packet, shape.csrc_count);
  }
  const InitialVector vector = keys.VectorOf(ssrc, index.value());
  const bool opened = engine.Open({keys.gcm(), vector.bytes(), packet.data(), clear,
                                   packet.data() + clear, packet.size() - layout.overhead - clear,
                                   packet.data() + packet.size() - layout.tag_from_end});
  if (shape.cryptex) {
    MoveExtensionHeaderBack(packet, shape.csrc_count);
  }
  return opened;
}
[[nodiscard]] bool OpenHmacRtp(CryptoEngine& engine, const PacketKeys& keys,
                               const PacketLayout& layout, absl::Span<uint8_t> packet,
                               const RtpShape& shape, Ssrc ssrc, PacketIndex index);

inline bool OpenRtp(CryptoEngine& engine, const PacketKeys& keys, const PacketLayout& layout,
                    absl::Span<uint8_t> packet, const RtpShape& shape, Ssrc ssrc,
                    PacketIndex index) {
  SLUICE_DCHECK(packet.size() >= shape.header_size + layout.overhead);
  return keys.gcm() != nullptr ? OpenGcmRtp(engine, keys, layout, packet, shape, ssrc, index)
                               : OpenHmacRtp(engine, keys, layout, packet, shape, ssrc, index);
}

}  // namespace sluice

#endif  // SRTP_OPEN_PACKET_H_
