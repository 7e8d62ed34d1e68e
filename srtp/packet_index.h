#ifndef SRTP_PACKET_INDEX_H_
#define SRTP_PACKET_INDEX_H_

#include <cstdint>

#include "srtp/rtp_types.h"

namespace sluice {

// Last index of a key: 2^48 packets of SRTP, 2^31 of SRTCP (RFC 3711 section 9.2).
inline constexpr PacketIndex kMaxPacketIndex{(uint64_t{1} << 48) - 1};
inline constexpr SrtcpIndex kMaxSrtcpIndex{(uint32_t{1} << 31) - 1};

// i = 2^16 * ROC + SEQ (RFC 3711 section 3.3.1).
constexpr PacketIndex MakeIndex(Roc roc, SequenceNumber sequence) {
  return PacketIndex((uint64_t{roc.value()} << 16) | sequence.value());
}

// The two halves of an index that is at most kMaxPacketIndex.
constexpr Roc RocOf(PacketIndex index) { return Roc(static_cast<uint32_t>(index.value() >> 16)); }
constexpr SequenceNumber SequenceOf(PacketIndex index) {
  return SequenceNumber(static_cast<uint16_t>(index.value()));
}

struct IndexEstimate {
  // kMaxPacketIndex when not valid.
  PacketIndex index;
  // False when the sequence number wrapped once more than a rollover counter can count: the key is
  // at its end (RFC 3711 section 9.2).
  bool valid;
};

// The index nearest to `highest`, the highest index authenticated so far, that has this sequence
// number (RFC 3711 section 3.3.1 and appendix A). Changes nothing: the estimate is true only once
// the packet authenticated. While the rollover counter is 0 there is nothing before the first
// packet, so a number more than 2^15 ahead is taken as ahead; the appendix would make it 2^32 - 1.
constexpr IndexEstimate EstimateIndex(PacketIndex highest, SequenceNumber sequence) {
  constexpr uint32_t kHalfSequenceSpace = 1u << 15;
  const uint32_t roc = RocOf(highest).value();
  const uint32_t last = SequenceOf(highest).value();
  const uint32_t seq = sequence.value();
  if (last < kHalfSequenceSpace) {
    // Far ahead is nearer as one rollover back, if there was one.
    const bool before_rollover = seq > last + kHalfSequenceSpace && roc > 0;
    return {MakeIndex(Roc(before_rollover ? roc - 1 : roc), sequence), true};
  }
  if (seq >= last - kHalfSequenceSpace) {
    return {MakeIndex(Roc(roc), sequence), true};
  }
  if (roc == UINT32_MAX) {
    return {kMaxPacketIndex, false};
  }
  return {MakeIndex(Roc(roc + 1), sequence), true};
}

}  // namespace sluice

#endif  // SRTP_PACKET_INDEX_H_
