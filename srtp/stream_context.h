#ifndef SRTP_STREAM_CONTEXT_H_
#define SRTP_STREAM_CONTEXT_H_

#include <cstdint>

#include "absl/types/span.h"
#include "srtp/packet_index.h"
#include "srtp/replay_window.h"
#include "srtp/rtp_types.h"
#include "srtp/verdict.h"

namespace sluice {

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
  [[nodiscard]] ProtectVerdict TakeRtpIndex(SequenceNumber sequence, PacketIndex& index);

  // Takes the next SRTCP index, or kKeyExhausted. Whoever wrote the RTCP, the SSRC has this one
  // counter.
  [[nodiscard]] ProtectVerdict TakeRtcpIndex(SrtcpIndex& index);

  // Which of the sender's keys was the last that protected a packet of this SSRC.
  uint32_t key_generation = 0;

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

  // Changes nothing. The verdict is kOk, kReplayed, kTooOld or kKeyExhausted. The first sequence
  // number is of rollover 0.
  RtpCheck CheckRtp(SequenceNumber sequence) const;
  RtcpCheck CheckRtcp(SrtcpIndex index) const;

  // Records an authenticated packet. False when one with its index was recorded since the check.
  [[nodiscard]] bool AcceptRtp(const RtpCheck& check) { return rtp_.Accept(check.token); }
  [[nodiscard]] bool AcceptRtcp(const RtcpCheck& check) { return rtcp_.Accept(check.token); }

 private:
  friend class StreamContextPeer;

  ReplayWindow rtp_;
  ReplayWindow rtcp_;
};

}  // namespace sluice

#endif  // SRTP_STREAM_CONTEXT_H_
