#include "srtp/open_packet.h"

#include <array>

#include "base/byte_order.h"
#include "base/check.h"
#include "base/secret_bytes.h"
#include "srtp/cryptex.h"
#include "srtp/packet_index.h"
#include "srtp/rtcp_packet_view.h"

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

bool OpenRtp(CryptoEngine& engine, const PacketKeys& keys, const PacketLayout& layout,
             absl::Span<uint8_t> packet, const RtpShape& shape, Ssrc ssrc, PacketIndex index) {
  SLUICE_DCHECK(packet.size() >= shape.header_size + layout.overhead);
  InitialVector vector;
  if (keys.gcm() == nullptr) {
    if (!Verifies(engine, keys, AuthenticatedPortion::OfRtp(layout, packet, RocOf(index)))) {
      return false;
    }
    Decrypt(engine, DecryptionOfRtp(keys, layout, packet, shape, ssrc, index, vector));
    if (shape.cryptex) {
      MoveExtensionHeaderBack(packet, shape.csrc_count);
    }
    return true;
  }
  const size_t clear = shape.clear_size();
  if (shape.cryptex) {
    MoveExtensionHeaderForward(packet, shape.csrc_count);
  }
  vector = keys.VectorOf(ssrc, index.value());
  const bool opened = engine.Open({keys.gcm(), vector.bytes(), packet.data(), clear,
                                   packet.data() + clear, packet.size() - layout.overhead - clear,
                                   packet.data() + packet.size() - layout.tag_from_end});
  if (shape.cryptex) {
    MoveExtensionHeaderBack(packet, shape.csrc_count);
  }
  return opened;
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

AuthenticatedPortion AuthenticatedPortion::OfRtp(const PacketLayout& layout,
                                                 absl::Span<uint8_t> packet, Roc roc) {
  AuthenticatedPortion portion;
  const size_t size = packet.size() - layout.overhead;
  portion.data_ = packet.data();
  portion.size_ = size + 4;
  portion.has_roc_ = true;
  portion.displaced_ = LoadBe32(packet.data() + size);
  StoreBe32(packet.data() + size, roc.value());
  portion.tag_ = packet.data() + packet.size() - layout.tag_from_end;
  portion.tag_size_ = layout.tag_size;
  return portion;
}

AuthenticatedPortion AuthenticatedPortion::OfRtcp(const PacketLayout& layout,
                                                  absl::Span<uint8_t> packet) {
  AuthenticatedPortion portion;
  portion.data_ = packet.data();
  portion.size_ = packet.size() - layout.overhead + kEsrtcpWordSize;
  portion.has_roc_ = false;
  portion.displaced_ = 0;
  portion.tag_ = packet.data() + packet.size() - layout.tag_from_end;
  portion.tag_size_ = layout.tag_size;
  return portion;
}

bool AuthenticatedPortion::Verify(const uint8_t* mac) const {
  if (has_roc_) {
    StoreBe32(data_ + size_ - 4, displaced_);
  }
  return ConstantTimeEquals({tag_, tag_size_}, {mac, tag_size_});
}

CounterModeJob DecryptionOfRtp(const PacketKeys& keys, const PacketLayout& layout,
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

CounterModeJob DecryptionOfRtcp(const PacketKeys& keys, const PacketLayout& layout,
                                absl::Span<uint8_t> packet, Ssrc ssrc, EsrtcpWord word,
                                InitialVector& vector) {
  vector = keys.VectorOf(ssrc, word.index.value());
  return {word.encrypted ? keys.counter_mode() : nullptr, vector.bytes(),
          packet.data() + kRtcpFirstHeaderSize,
          packet.size() - layout.overhead - kRtcpFirstHeaderSize};
}

}  // namespace sluice
