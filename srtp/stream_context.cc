#include "srtp/stream_context.h"

namespace sluice {
namespace {

// RFC 3711 section 3.3.1: the first sequence number is of rollover 0.
IndexEstimate EstimateNext(const ReplayWindow& window, SequenceNumber sequence) {
  if (window.empty()) {
    return {MakeIndex(Roc(0), sequence), true};
  }
  return EstimateIndex(PacketIndex(window.highest()), sequence);
}

UnprotectVerdict ToUnprotectVerdict(ReplayVerdict verdict) {
  switch (verdict) {
    case ReplayVerdict::kFresh:
      return UnprotectVerdict::kOk;
    case ReplayVerdict::kReplayed:
      return UnprotectVerdict::kReplayed;
    case ReplayVerdict::kTooOld:
      break;
  }
  return UnprotectVerdict::kTooOld;
}

}  // namespace

void SenderStream::Reset() {
  taken_.Clear();
  next_rtcp_index_ = 0;
  key_generation = 0;
}

ProtectVerdict SenderStream::TakeRtpIndex(SequenceNumber sequence, PacketIndex& index) {
  const IndexEstimate estimate = EstimateNext(taken_, sequence);
  // The last index of all is never used, so that "none left" is not one beyond what is counted.
  if (!estimate.valid || estimate.index == kMaxPacketIndex) {
    return ProtectVerdict::kKeyExhausted;
  }
  if (!taken_.Accept(taken_.Check(estimate.index.value()))) {
    return ProtectVerdict::kIndexReused;
  }
  index = estimate.index;
  return ProtectVerdict::kOk;
}

ProtectVerdict SenderStream::TakeRtcpIndex(SrtcpIndex& index) {
  if (next_rtcp_index_ == kMaxSrtcpIndex.value()) {
    return ProtectVerdict::kKeyExhausted;
  }
  index = SrtcpIndex(next_rtcp_index_++);
  return ProtectVerdict::kOk;
}

void ReceiverStream::Reset() {
  rtp_.Clear();
  rtcp_.Clear();
}

ReceiverStream::RtpCheck ReceiverStream::CheckRtp(SequenceNumber sequence) const {
  const IndexEstimate estimate = EstimateNext(rtp_, sequence);
  const ReplayToken token = rtp_.Check(estimate.index.value());
  return {estimate.valid ? ToUnprotectVerdict(token.verdict()) : UnprotectVerdict::kKeyExhausted,
          estimate.index, token};
}

ReceiverStream::RtcpCheck ReceiverStream::CheckRtcp(SrtcpIndex index) const {
  const ReplayToken token = rtcp_.Check(index.value());
  return {ToUnprotectVerdict(token.verdict()), token};
}

}  // namespace sluice
