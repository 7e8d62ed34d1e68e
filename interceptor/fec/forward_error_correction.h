#ifndef INTERCEPTOR_FEC_FORWARD_ERROR_CORRECTION_H_
#define INTERCEPTOR_FEC_FORWARD_ERROR_CORRECTION_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/random_source.h"
#include "base/timestamp.h"
#include "interceptor/fec/parity_decoder.h"
#include "interceptor/fec/parity_encoder.h"
#include "interceptor/fec/repair_numbers.h"
#include "interceptor/interceptor.h"

namespace sluice {

struct ForwardErrorCorrectionOptions {
  // As of the chain.
  size_t max_streams = 16;
  // How packets for the peer are protected ...
  ParityEncoderOptions encoder;
  // ... and what is kept of those from the peer.
  ParityDecoderOptions decoder;
};

// Forward error correction by draft-ietf-payload-flexible-fec-scheme-03, which is what "flexfec-03"
// means in SDP, both sides of it, for streams that have a repair SSRC and a format for it: parity
// of what goes to the peer, and what the peer's parity recovers. Repair packets end here; a media
// packet that comes when it was recovered already is dropped.
//
// Recovered packets have zeros where their transport-wide sequence number and send time were, and
// no arrival of their own. Retransmissions become media packets further from the wire, so a packet
// that came that way may be recovered once more; who numbers or plays packets knows duplicates.
class ForwardErrorCorrection : public Interceptor {
 public:
  // InvalidArgument when an option is out of its range. Repair streams begin where `random` says;
  // it outlives the interceptor.
  static absl::StatusOr<std::unique_ptr<ForwardErrorCorrection>> Create(
      const ForwardErrorCorrectionOptions& options, RandomSource& random);

  InterceptorKind kind() const override { return InterceptorKind::kForwardErrorCorrection; }
  InterceptorHooks hooks() const override {
    return {.incoming_rtp = true, .outgoing_rtp = true, .timeout = true, .takes_packets = true};
  }
  void OnStreamAdded(Timestamp now, PacketDirection direction, StreamSlot slot,
                     const StreamInfo& info) override;
  // The peer's parity came to be known: it recovers what is received from now on.
  void OnStreamJoined(Timestamp now, PacketDirection direction, StreamSlot slot, SsrcRole role,
                      Ssrc ssrc) override;
  void OnStreamRemoved(Timestamp now, PacketDirection direction, StreamSlot slot) override;
  void OnIncomingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                     InterceptorOutbox& out) override;
  void OnOutgoingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                     InterceptorOutbox& out) override;
  void OnTimeout(Timestamp now, InterceptorOutbox& out) override;
  Timestamp NextTimeout() const override;

  // Whose packets a repair packet protects; nothing when it is none of those we understand.
  static std::optional<Ssrc> ProtectedSsrc(const RtpPacketView& repair);

  const ParityEncoderCounters& encoder_counters() const { return encoder_counters_; }
  const ParityDecoderCounters& decoder_counters() const { return decoder_.counters(); }
  // Parity packets of the peer that miss more than one packet.
  size_t waiting() const { return decoder_.waiting(); }

 private:
  ForwardErrorCorrection(const ForwardErrorCorrectionOptions& options, RandomSource& random);

  RepairNumbers numbers_;
  // By slot; numbering is null when there is none.
  std::vector<ParityEncoder> encoders_;
  std::vector<RepairNumbering*> numberings_;
  // Incoming streams, as they were added.
  std::vector<StreamInfo> incoming_;
  ParityEncoderCounters encoder_counters_;
  ParityDecoder decoder_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_FEC_FORWARD_ERROR_CORRECTION_H_
