#include "tests/peers/raw_packets.h"

#include "absl/types/span.h"
#include "base/check.h"
#include "srtp/packet_kind.h"

namespace sluice {

RawPackets::RawPackets(const MasterKey& key, PacketRing& ring)
    : ring_(ring),
      suite_(key.suite()),
      keys_(DeriveSessionKeys(key, PacketKind::kRtp)),
      payload_size_(ring.plain_size() - PacketRing::kHeaderSize),
      packets_(std::make_unique<std::array<Packet, PacketRing::kSlots>>()) {
  SLUICE_CHECK(suite_.aead() || suite_.rtp_tag_size == 10) << suite_.name;
}

void RawPackets::BeforeProtect() {
  for (size_t slot = 0; slot < PacketRing::kSlots; ++slot) {
    const bool resized = ring_.packet(slot).Resize(ring_.plain_size() + suite_.rtp_tag_size);
    SLUICE_CHECK(resized);
    (*packets_)[slot].header = ring_.packet(slot).bytes().data();
    BuildVector(slot);
    StoreRoc(slot);
  }
}

void RawPackets::BeforeUnprotect() {
  for (size_t slot = 0; slot < PacketRing::kSlots; ++slot) {
    Packet& packet = (*packets_)[slot];
    packet.header = ring_.packet(slot).bytes().data();
    SLUICE_CHECK(ring_.packet(slot).size() == ring_.plain_size() + suite_.rtp_tag_size);
    CopyBytes(absl::MakeSpan(packet.tag), {payload_end(slot), suite_.rtp_tag_size});
    const bool resized = ring_.packet(slot).Resize(ring_.plain_size());
    SLUICE_CHECK(resized);
    BuildVector(slot);
    StoreRoc(slot);
  }
}

void RawPackets::BuildVector(size_t slot) {
  // SSRC and index lie two bytes further in front for AES-GCM: there are no 16 bits of counter.
  std::array<uint8_t, kVectorSize> number = {};
  const size_t at = suite_.aead() ? 2 : 4;
  StoreBe32(number.data() + at, PacketRing::kSsrc);
  StoreBe48(number.data() + at + 4, ring_.index(slot));
  for (size_t i = 0; i < kVectorSize; ++i) {
    const uint8_t salt = i < keys_.salt.size() ? keys_.salt.span()[i] : 0;
    (*packets_)[slot].vector[i] = number[i] ^ salt;
  }
}

void RawPackets::StoreRoc(size_t slot) {
  if (!suite_.aead()) {
    StoreBe32(payload_end(slot), static_cast<uint32_t>(ring_.index(slot) >> 16));
  }
}

}  // namespace sluice
