#ifndef INTERCEPTOR_FEC_PARITY_ENCODER_H_
#define INTERCEPTOR_FEC_PARITY_ENCODER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/time_delta.h"
#include "base/timestamp.h"
#include "interceptor/fec/flexfec_header.h"
#include "interceptor/fec/packet_mask.h"
#include "interceptor/fec/parity_layout.h"
#include "interceptor/fec/parity_sum.h"
#include "interceptor/fec/repair_numbers.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/stream_info.h"
#include "srtp/packet_arena.h"
#include "srtp/rtp_packet_view.h"

namespace sluice {

// Longest packet that parity may protect: with a header in front of it, parity is a datagram too.
inline constexpr size_t kMaxProtectedSize = kMaxDatagramSize - kFlexFecLongHeaderSize;

struct ParityEncoderOptions {
  ParityLayout layout;
  // A block that is not full by then, counted from its first packet, is finished as it is; more
  // than 0. Parity that comes later than a retransmission would is of no use.
  TimeDelta max_delay = TimeDelta::Millis(100);
  // Longer packets are not protected, kRtpFixedHeaderSize..kMaxProtectedSize.
  size_t max_packet_size = 1500;
};

// Since construction, all streams together.
struct ParityEncoderCounters {
  // Packets that are in a block; those that came when their block was finished; twice; too long.
  uint64_t protected_packets = 0;
  uint64_t late = 0;
  uint64_t duplicates = 0;
  uint64_t too_long = 0;
  // Parity packets sent; those that the outbox had no room for; how often a slot was wanted and
  // none was there.
  uint64_t parity_sent = 0;
  uint64_t no_room = 0;
  uint64_t no_slot = 0;
};

// Where the parity of a stream goes. `numbering` outlives its use.
struct RepairStream {
  PayloadFormat format;
  RepairNumbering* numbering = nullptr;
};

// Makes the parity of one stream. Packets are added up in the slot that becomes the parity packet,
// when they pass, and are not needed afterwards. The place of a packet is its number: gaps stay out
// of the mask, and packets out of order find their place as long as their block is not finished. A
// block begins with the first packet behind the last one.
class ParityEncoder {
 public:
  explicit ParityEncoder(const ParityEncoderOptions& options);
  // A new stream; the encoder is idle.
  void Begin(const StreamInfo& info, const RepairStream& repair);
  // Drops the block, and returns its slots.
  void End();
  bool active() const { return active_; }

  // A media packet of the stream, which is active. Sends the parity that it completes.
  void Add(Timestamp now, const RtpPacketView& packet, ParityEncoderCounters& counters,
           InterceptorOutbox& out);
  // Sends the parity of the block as it is.
  void Finish(Timestamp now, ParityEncoderCounters& counters, InterceptorOutbox& out);
  // When Finish is due; PlusInfinity: there is no block.
  Timestamp deadline() const { return deadline_; }

 private:
  struct Parity {
    PacketLoan packet;
    ParitySum sum;
    // From `offset` on, which is where its first packet is in the block.
    PacketMask mask;
    size_t offset = 0;
    size_t header_size = 0;
    size_t full = 0;
  };

  void Place(Timestamp now, size_t place, const RtpPacketView& packet,
             ParityEncoderCounters& counters, InterceptorOutbox& out);
  void AddTo(Parity& parity, size_t bit, const RtpPacketView& packet,
             ParityEncoderCounters& counters, InterceptorOutbox& out);
  // Sends the parity when there is any; its slot is free then.
  void Send(Timestamp now, Parity& parity, ParityEncoderCounters& counters, InterceptorOutbox& out);
  RtpTimestamp TimestampAt(Timestamp now) const;

  const ParityEncoderOptions options_;
  bool active_ = false;
  Ssrc protected_ssrc_ = Ssrc(0);
  StreamExtensions extensions_;
  RepairStream repair_;

  // Rows, then columns.
  std::vector<Parity> parities_;
  // Of the block; nothing before the first.
  std::optional<uint16_t> base_;
  // The block is finished: the next begins behind it.
  bool finished_ = false;
  PacketMask seen_;
  Timestamp deadline_ = Timestamp::PlusInfinity();
};

}  // namespace sluice

#endif  // INTERCEPTOR_FEC_PARITY_ENCODER_H_
