#include "srtp/packet_index.h"

namespace sluice {
namespace {

constexpr uint32_t kHalfSequenceSpace = 1u << 15;

}  // namespace

IndexEstimate EstimateIndex(PacketIndex highest, SequenceNumber sequence) {
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
