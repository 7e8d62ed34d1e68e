#ifndef SRTP_SEAL_BATCH_H_
#define SRTP_SEAL_BATCH_H_

#include <cstddef>
#include <cstdint>

#include "absl/base/attributes.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "srtp/cryptex.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/esrtcp_word.h"
#include "srtp/mki.h"
#include "srtp/packet_index.h"
#include "srtp/packet_keys.h"
#include "srtp/packet_layout.h"
#include "srtp/rtp_shape.h"
#include "srtp/rtp_types.h"

namespace sluice {

// Packets of which all is decided and that wait to be encrypted and tagged together, in place.
// Knows nothing of streams: who gives an index twice repeats a keystream, and with AES-GCM gives
// away the key that authenticates (RFC 7714 section 8.4). Lives on the stack for one batch; nothing
// here allocates.
//
// A packet is sealed when Run returns; until then neither it nor its keys may change or move.
class SealBatch {
 public:
  static constexpr size_t kCapacity = 64;

  explicit SealBatch(CryptoEngine& engine) : engine_(engine) {}
  SealBatch(const SealBatch&) = delete;
  SealBatch& operator=(const SealBatch&) = delete;

  bool full() const { return tail_count_ == kCapacity; }

  // `packet` is all of it, with room at the end for what `layout` says. `layout` is the one of the
  // keys' suite, the kind of packet and the size of `mki`. Not when full().
  ABSL_ATTRIBUTE_ALWAYS_INLINE void AddRtp(const PacketKeys& keys, const PacketLayout& layout,
                                           const Mki& mki, absl::Span<uint8_t> packet,
                                           const RtpShape& shape, Ssrc ssrc, PacketIndex index) {
    SLUICE_DCHECK(!full() && packet.size() >= shape.header_size + layout.overhead);
    if (keys.gcm() != nullptr) {
      SealGcmRtp(keys, layout, mki, packet, shape, ssrc, index);
    } else {
      AddHmacRtp(keys, layout, mki, packet, shape, ssrc, index);
    }
  }
  void AddRtcp(const PacketKeys& keys, const PacketLayout& layout, const Mki& mki,
               absl::Span<uint8_t> packet, Ssrc ssrc, EsrtcpWord word);

  // Seals what was added; the batch is empty then.
  void Run() {
    if (tail_count_ > 0) {
      RunHmac();
    }
  }

 private:
  // What is written behind a packet once its MAC is known.
  struct Tail {
    uint8_t* mki_at;
    const Mki* mki;
    uint8_t* tag_at;
    size_t tag_size;
  };
  // A packet whose extension header stands in front of its CSRCs for the time of encryption.
  struct Moved {
    uint8_t* packet;
    size_t size;
    size_t csrc_count;
  };

  // At once: no engine gains from more of them.
  void SealGcmRtp(const PacketKeys& keys, const PacketLayout& layout, const Mki& mki,
                  absl::Span<uint8_t> packet, const RtpShape& shape, Ssrc ssrc, PacketIndex index);
  void AddHmacRtp(const PacketKeys& keys, const PacketLayout& layout, const Mki& mki,
                  absl::Span<uint8_t> packet, const RtpShape& shape, Ssrc ssrc, PacketIndex index);
  void RunHmac();
  void AddCrypt(const PacketKeys& keys, const InitialVector& vector, uint8_t* data, size_t size);
  void AddMac(const PacketKeys& keys, const uint8_t* data, size_t size, const Tail& tail);

  CryptoEngine& engine_;
  size_t crypt_count_ = 0;
  size_t tail_count_ = 0;
  size_t moved_count_ = 0;
  // The first so many of each are set.
  InitialVector vectors_[kCapacity];
  CounterModeJob crypt_jobs_[kCapacity];
  MacJob mac_jobs_[kCapacity];
  uint8_t macs_[kCapacity][kMacSize];
  Tail tails_[kCapacity];
  Moved moved_[kCapacity];
};

ABSL_ATTRIBUTE_ALWAYS_INLINE inline void SealBatch::SealGcmRtp(
    const PacketKeys& keys, const PacketLayout& layout, const Mki& mki, absl::Span<uint8_t> packet,
    const RtpShape& shape, Ssrc ssrc, PacketIndex index) {
  const size_t clear = shape.clear_size();
  uint8_t* const end = packet.data() + packet.size();
  if (shape.cryptex) {
    MoveExtensionHeaderForward(packet, shape.csrc_count);
  }
  const InitialVector vector = keys.VectorOf(ssrc, index.value());
  engine_.Seal({keys.gcm(), vector.bytes(), packet.data(), clear, packet.data() + clear,
                packet.size() - layout.overhead - clear, end - layout.tag_from_end});
  if (!mki.empty()) {
    CopyBytes({end - layout.mki_from_end, layout.mki_size}, mki.bytes());
  }
  if (shape.cryptex) {
    MoveExtensionHeaderBack(packet, shape.csrc_count);
  }
}

inline void SealBatch::AddCrypt(const PacketKeys& keys, const InitialVector& vector, uint8_t* data,
                                size_t size) {
  vectors_[crypt_count_] = vector;
  crypt_jobs_[crypt_count_] = {keys.counter_mode(), vectors_[crypt_count_].bytes(), data, size};
  ++crypt_count_;
}

inline void SealBatch::AddMac(const PacketKeys& keys, const uint8_t* data, size_t size,
                              const Tail& tail) {
  mac_jobs_[tail_count_] = {keys.mac(), data, size, macs_[tail_count_]};
  tails_[tail_count_] = tail;
  ++tail_count_;
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline void SealBatch::AddHmacRtp(
    const PacketKeys& keys, const PacketLayout& layout, const Mki& mki, absl::Span<uint8_t> packet,
    const RtpShape& shape, Ssrc ssrc, PacketIndex index) {
  const size_t size = packet.size() - layout.overhead;
  const size_t clear = shape.clear_size();
  uint8_t* const end = packet.data() + packet.size();
  if (shape.cryptex) {
    MoveExtensionHeaderForward(packet, shape.csrc_count);
  }
  if (keys.counter_mode() != nullptr) {
    AddCrypt(keys, keys.VectorOf(ssrc, index.value()), packet.data() + clear, size - clear);
  }
  if (shape.cryptex) {
    moved_[moved_count_++] = {packet.data(), packet.size(), shape.csrc_count};
  }
  // RFC 3711 section 4.2: M = Authenticated Portion || ROC. The ROC is overwritten afterwards.
  StoreBe32(packet.data() + size, RocOf(index).value());
  AddMac(keys, packet.data(), size + 4,
         {end - layout.mki_from_end, &mki, end - layout.tag_from_end, layout.tag_size});
}

}  // namespace sluice

#endif  // SRTP_SEAL_BATCH_H_
