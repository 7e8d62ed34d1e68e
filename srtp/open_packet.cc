#include "srtp/open_packet.h"

#include <array>

#include "base/check.h"
#include "srtp/packet_index.h"

namespace sluice {
namespace {

bool Verifies(CryptoEngine& engine, const PacketKeys& keys, const AuthenticatedPortion& portion) {
  uint8_t mac[kMacSize];
  const MacJob job = {keys.mac(), portion.data(), portion.size(), mac};
  engine.Authenticate({&job, 1});
  return portion.Verify(mac);
}

void Decrypt(CryptoEngine& engine, const CounterModeJob& job) {
  if (job.key != nullptr) {
    engine.Crypt({&job, 1});
  }
}

bool OpenGcmRtcp(CryptoEngine& engine, const PacketKeys& keys, const PacketLayout& layout,
                 absl::Span<uint8_t> packet, Ssrc ssrc, EsrtcpWord word) {
  const size_t size = packet.size() - layout.overhead;
  uint8_t* const tag_at = packet.data() + packet.size() - layout.tag_from_end;
  const InitialVector vector = keys.VectorOf(ssrc, word.index.value());
  if (word.encrypted) {
    // RFC 7714 section 9.2: associated are the first header and the word, which lie apart.
    std::array<uint8_t, kRtcpFirstHeaderSize + kEsrtcpWordSize> associated;
    CopyBytes(absl::MakeSpan(associated), packet.first(kRtcpFirstHeaderSize));
    StoreBe32(associated.data() + kRtcpFirstHeaderSize, word.ToWire());
    return engine.Open({keys.gcm(), vector.bytes(), associated.data(), associated.size(),
                        packet.data() + kRtcpFirstHeaderSize, size - kRtcpFirstHeaderSize, tag_at});
  }
  // RFC 7714 section 9.3: all is associated, in one piece, so the word borrows the tag's place.
  std::array<uint8_t, kGcmTagSize> received;
  CopyBytes(absl::MakeSpan(received), {tag_at, kGcmTagSize});
  StoreBe32(tag_at, word.ToWire());
  const bool opened = engine.Open({keys.gcm(), vector.bytes(), packet.data(),
                                   size + kEsrtcpWordSize, nullptr, 0, received.data()});
  CopyBytes({tag_at, kGcmTagSize}, received);
  return opened;
}

}  // namespace

bool OpenHmacRtp(CryptoEngine& engine, const PacketKeys& keys, const PacketLayout& layout,
                 absl::Span<uint8_t> packet, const RtpShape& shape, Ssrc ssrc, PacketIndex index) {
  if (!Verifies(engine, keys, AuthenticatedPortion::OfRtp(layout, packet, RocOf(index)))) {
    return false;
  }
  InitialVector vector;
  Decrypt(engine, DecryptionOfRtp(keys, layout, packet, shape, ssrc, index, vector));
  if (shape.cryptex) {
    MoveExtensionHeaderBack(packet, shape.csrc_count);
  }
  return true;
}

bool OpenRtcp(CryptoEngine& engine, const PacketKeys& keys, const PacketLayout& layout,
              absl::Span<uint8_t> packet, Ssrc ssrc, EsrtcpWord word) {
  SLUICE_DCHECK(packet.size() >= kRtcpFirstHeaderSize + layout.overhead);
  if (keys.gcm() != nullptr) {
    return OpenGcmRtcp(engine, keys, layout, packet, ssrc, word);
  }
  if (!Verifies(engine, keys, AuthenticatedPortion::OfRtcp(layout, packet))) {
    return false;
  }
  InitialVector vector;
  Decrypt(engine, DecryptionOfRtcp(keys, layout, packet, ssrc, word, vector));
  return true;
}

}  // namespace sluice
