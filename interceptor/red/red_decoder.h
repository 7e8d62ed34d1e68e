#ifndef INTERCEPTOR_RED_RED_DECODER_H_
#define INTERCEPTOR_RED_RED_DECODER_H_

#include <cstdint>

#include "interceptor/intercepted_packet.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/red/arrival_window.h"
#include "interceptor/red/red_payload.h"
#include "interceptor/stream_info.h"

namespace sluice {

// Since construction, all streams together.
struct RedDecoderCounters {
  // Packets with redundancy opened, and packets restored from it.
  uint64_t opened = 0;
  uint64_t restored = 0;
  // Dropped: malformed; whose primary encoding was not negotiated; that were there already,
  // restored or not.
  uint64_t malformed = 0;
  uint64_t unknown_format = 0;
  uint64_t duplicates = 0;
  // Blocks of missing packets that restore nothing: of no encoding that was negotiated, or of the
  // packet's own time.
  uint64_t blocks_refused = 0;
  // Packets not restored: no slot; no room in the outbox.
  uint64_t no_slot = 0;
  uint64_t no_room = 0;
};

// Opens the packets with redundancy of one stream (RFC 2198): each becomes the packet of its
// primary encoding, and blocks become the packets right before it that did not come. Those have the
// CSRCs of the packet that carried them, no extensions and no marker (section 4). Packets of any
// format that are there already are dropped.
class RedDecoder {
 public:
  enum class Verdict : uint8_t { kPass, kDrop };

  void Begin(const StreamInfo& info);
  void End() { active_ = false; }
  bool active() const { return active_; }

  // A media packet of the stream. With kDrop it is to be taken. Restored packets are delivered;
  // they are behind this one, though before it in number.
  [[nodiscard]] Verdict Open(InterceptedRtp& packet, RedDecoderCounters& counters,
                             InterceptorOutbox& out);

 private:
  // Whether it is there already, which is counted.
  bool IsDuplicate(SequenceNumber sequence, RedDecoderCounters& counters);
  bool IsMedia(PayloadType payload_type) const;
  void Restore(const RtpPacketView& packet, const RedBlock& block, SequenceNumber sequence,
               RedDecoderCounters& counters, InterceptorOutbox& out);

  bool active_ = false;
  StreamInfo info_;
  ArrivalWindow window_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_RED_RED_DECODER_H_
