#include "srtp/seal_batch.h"

#include <array>

#include "base/byte_order.h"
#include "base/check.h"
#include "srtp/cryptex.h"
#include "srtp/packet_index.h"
#include "srtp/rtcp_packet_view.h"

namespace sluice {

void SealBatch::AddRtcp(const PacketKeys& keys, const PacketLayout& layout, const Mki& mki,
                        absl::Span<uint8_t> packet, Ssrc ssrc, EsrtcpWord word) {
  SLUICE_DCHECK(!full() && packet.size() >= kRtcpFirstHeaderSize + layout.overhead);
  const size_t size = packet.size() - layout.overhead;
  uint8_t* const body = packet.data() + kRtcpFirstHeaderSize;
  const size_t body_size = size - kRtcpFirstHeaderSize;
  uint8_t* const end = packet.data() + packet.size();
  if (keys.gcm() != nullptr) {
    const InitialVector vector = keys.VectorOf(ssrc, word.index.value());
    uint8_t* const tag_at = end - layout.tag_from_end;
    if (word.encrypted) {
      // RFC 7714 section 9.2: associated are the first header and the word, which lie apart.
      std::array<uint8_t, kRtcpFirstHeaderSize + kEsrtcpWordSize> associated;
      CopyBytes(absl::MakeSpan(associated), packet.first(kRtcpFirstHeaderSize));
      StoreBe32(associated.data() + kRtcpFirstHeaderSize, word.ToWire());
      engine_.Seal({keys.gcm(), vector.bytes(), associated.data(), associated.size(), body,
                    body_size, tag_at});
    } else {
      // RFC 7714 section 9.3: all is associated, the word last. It is put where the tag will be.
      StoreBe32(tag_at, word.ToWire());
      std::array<uint8_t, kGcmTagSize> tag;
      engine_.Seal({keys.gcm(), vector.bytes(), packet.data(), size + kEsrtcpWordSize, nullptr, 0,
                    tag.data()});
      CopyBytes({tag_at, kGcmTagSize}, tag);
    }
    StoreBe32(end - layout.word_from_end, word.ToWire());
    CopyBytes({end - layout.mki_from_end, layout.mki_size}, mki.bytes());
    return;
  }
  if (keys.counter_mode() != nullptr && word.encrypted) {
    AddCrypt(keys, keys.VectorOf(ssrc, word.index.value()), body, body_size);
  }
  StoreBe32(packet.data() + size, word.ToWire());
  AddMac(keys, packet.data(), size + kEsrtcpWordSize,
         {end - layout.mki_from_end, &mki, end - layout.tag_from_end, layout.tag_size});
}

void SealBatch::RunHmac() {
  if (crypt_count_ > 0) {
    engine_.Crypt({crypt_jobs_, crypt_count_});
    crypt_count_ = 0;
  }
  for (const Moved& moved : absl::MakeConstSpan(moved_, moved_count_)) {
    MoveExtensionHeaderBack({moved.packet, moved.size}, moved.csrc_count);
  }
  moved_count_ = 0;
  engine_.Authenticate({mac_jobs_, tail_count_});
  for (size_t i = 0; i < tail_count_; ++i) {
    const Tail& tail = tails_[i];
    CopyBytes({tail.mki_at, tail.mki->size()}, tail.mki->bytes());
    if (tail.tag_size == 10) {
      // Two moves and no call.
      CopyBytes({tail.tag_at, 10}, {macs_[i], 10});
    } else {
      CopyBytes({tail.tag_at, tail.tag_size}, {macs_[i], tail.tag_size});
    }
  }
  tail_count_ = 0;
}

}  // namespace sluice
