#ifndef SRTP_STREAM_CONTEXT_H_
#define SRTP_STREAM_CONTEXT_H_

#include <cstdint>
#include <optional>

#include "absl/base/attributes.h"
#include "absl/types/span.h"
#include "srtp/packet_index.h"
#include "srtp/replay_window.h"
#include "srtp/rtp_types.h"
#include "srtp/stream_state.h"
#include "srtp/verdict.h"

namespace sluice {

// What is still known of an SSRC that lost its place among the streams: where its indices ended, so
// that they go on when it comes back.
struct RememberedStream {
  std::optional<uint64_t> rtp;
  std::optional<uint64_t> rtcp;

  void Reset() { *this = {}; }
};

// The index that a packet with that sequence number has if it is the nearest one to the highest in
// `window`. RFC 3711 section 3.3.1: the first sequence number is of rollover 0.
inline IndexEstimate EstimateNext(const ReplayWindow& window, SequenceNumber sequence) {
  if (window.empty()) {
    return {MakeIndex(Roc(0), sequence), true};
  }
  return EstimateIndex(PacketIndex(window.highest()), sequence);
}

// What is known of one SSRC that we send: the indices that its packets took. Nothing here
// allocates; the words are the window's memory, as in ReplayWindow.
class SenderStream {
 public:
  explicit SenderStream(absl::Span<uint64_t> window_words) : taken_(window_words) {}

  // Back to the state of an SSRC that never sent.
  void Reset();

  // Takes the index of an RTP packet for good, or says why there is none: kIndexReused when it is
  // taken or left of the window, kKeyExhausted at the end (RFC 3711 section 9.2). The first
  // sequence number is of rollover 0.
  [[nodiscard]] ABSL_ATTRIBUTE_ALWAYS_INLINE ProtectVerdict TakeRtpIndex(SequenceNumber sequence,
                                                                         PacketIndex& index) {
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

  // Takes the next SRTCP index, or kKeyExhausted. Whoever wrote the RTCP, the SSRC has this one
  // counter.
  [[nodiscard]] ProtectVerdict TakeRtcpIndex(SrtcpIndex& index);

  // Everything up to where it ended counts as taken.
  RememberedStream Remember() const;
  void Recall(const RememberedStream& remembered);

  // Allocate. `ssrc` and `key` are not read nor written.
  void Save(SenderStreamState& state) const;
  void Restore(const SenderStreamState& state, const RestoreMargin& margin);

  // Which of the sender's live keys protected packets of this SSRC: bit i for slot i of its
  // KeyRing. An SSRC with a bit set must not be forgotten.
  uint8_t sent_under = 0;

 private:
  friend class StreamContextPeer;

  ReplayWindow taken_;
  // RFC 3711 section 3.4: zero at first, counted up after each packet.
  uint32_t next_rtcp_index_ = 0;
};

// What is known of one SSRC that we receive: which authenticated packets came.
class ReceiverStream {
 public:
  ReceiverStream(absl::Span<uint64_t> rtp_words, absl::Span<uint64_t> rtcp_words)
      : rtp_(rtp_words), rtcp_(rtcp_words) {}

  // Back to the state of an SSRC of which nothing was received.
  void Reset();

  // What a packet's index is if the packet is authentic, and whether the packet may be one that is
  // still to come.
  struct RtpCheck {
    UnprotectVerdict verdict;
    PacketIndex index;
    ReplayToken token;
  };
  struct RtcpCheck {
    UnprotectVerdict verdict;
    ReplayToken token;
  };

  // Changes nothing. The verdict is kOk, kReplayed, kTooOld or kKeyExhausted. The index is the
  // nearest one (RFC 3711 section 3.3.1), or that `rollovers` later.
  RtpCheck CheckRtp(SequenceNumber sequence, int rollovers = 0) const {
    return CheckRtp(rollovers == 0 ? EstimateNext(rtp_, sequence)
                                   : EstimateRollovers(sequence, rollovers));
  }
  RtcpCheck CheckRtcp(SrtcpIndex index) const {
    const ReplayToken token = rtcp_.Check(index.value());
    return {ToUnprotectVerdict(token.verdict()), token};
  }

  // An RTP packet authenticated since the stream is here. Until then the rollover counter is a
  // guess: a first packet may come from before or after a wrap that was not seen.
  bool rollover_known() const { return rollover_known_; }

  // Records an authenticated packet. False when one with its index was recorded since the check.
  [[nodiscard]] bool AcceptRtp(const RtpCheck& check) {
    rollover_known_ = true;
    return rtp_.Accept(check.token);
  }
  [[nodiscard]] bool AcceptRtcp(const RtcpCheck& check) { return rtcp_.Accept(check.token); }

  // Everything up to where it ended counts as received.
  RememberedStream Remember() const;
  void Recall(const RememberedStream& remembered);

  // Allocate. `ssrc` and `key` are not read nor written.
  void Save(ReceiverStreamState& state) const;
  void Restore(const ReceiverStreamState& state);

 private:
  friend class StreamContextPeer;

  static UnprotectVerdict ToUnprotectVerdict(ReplayVerdict verdict) {
    return verdict == ReplayVerdict::kFresh      ? UnprotectVerdict::kOk
           : verdict == ReplayVerdict::kReplayed ? UnprotectVerdict::kReplayed
                                                 : UnprotectVerdict::kTooOld;
  }
  RtpCheck CheckRtp(const IndexEstimate& estimate) const {
    const ReplayToken token = rtp_.Check(estimate.index.value());
    return {estimate.valid ? ToUnprotectVerdict(token.verdict()) : UnprotectVerdict::kKeyExhausted,
            estimate.index, token};
  }
  IndexEstimate EstimateRollovers(SequenceNumber sequence, int rollovers) const;

  ReplayWindow rtp_;
  ReplayWindow rtcp_;
  bool rollover_known_ = false;
};

}  // namespace sluice

#endif  // SRTP_STREAM_CONTEXT_H_
