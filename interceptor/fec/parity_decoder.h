#ifndef INTERCEPTOR_FEC_PARITY_DECODER_H_
#define INTERCEPTOR_FEC_PARITY_DECODER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/sequence_unwrapper.h"
#include "interceptor/fec/packet_mask.h"
#include "interceptor/fec/parity_sum.h"
#include "interceptor/fec/received_media.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/stream_info.h"
#include "srtp/packet_arena.h"
#include "srtp/rtp_packet_view.h"

namespace sluice {

struct ParityDecoderOptions {
  // Media packets remembered, ReceivedMedia::kMinPackets..kMaxPackets, and parity packets that miss
  // more than one, 1..ParityDecoder::kMaxParities, of all streams together. The longest mask and
  // what comes while its parity is under way; two blocks of ten by ten.
  size_t media_packets = 256;
  size_t parity_packets = 40;
  // Longer packets are not recovered and recover nothing,
  // kRtpFixedHeaderSize..kMaxProtectedSize.
  size_t max_packet_size = 1500;
};

// Since construction, all streams together.
struct ParityDecoderCounters {
  // Media packets remembered; too long for it; those that had been recovered when they came.
  uint64_t media = 0;
  uint64_t media_too_long = 0;
  uint64_t already_recovered = 0;
  // Parity packets understood, and what is wrong with the others: malformed; of a kind we do not
  // offer; of another stream or payload type; about packets far from those that come; too long.
  uint64_t parity = 0;
  uint64_t malformed = 0;
  uint64_t unsupported = 0;
  uint64_t foreign = 0;
  uint64_t far = 0;
  uint64_t parity_too_long = 0;
  // Padding and nothing else.
  uint64_t padding_only = 0;
  // What became of parity: it recovered a packet; nothing was missing; it gave up its place to a
  // newer one; it was about packets long ago.
  uint64_t recovered = 0;
  uint64_t unneeded = 0;
  uint64_t evicted = 0;
  uint64_t expired = 0;
  // Recovered packets that are no RTP packets; no slot; no room in the outbox.
  uint64_t recovered_malformed = 0;
  uint64_t no_slot = 0;
  uint64_t no_room = 0;
};

// Recovers media packets from parity. What came is taken out of a parity packet's sum at once, when
// either of the two comes; when one packet is missing, the sum is that packet. It may be what
// another sum waits for, and so on, until nothing more can be known. Memory is taken at
// construction. One thread.
class ParityDecoder {
 public:
  static constexpr size_t kMaxParities = 1024;

  enum class MediaVerdict : uint8_t {
    kPass,
    // It was recovered before it came: it is there twice.
    kAlreadyRecovered,
  };

  ParityDecoder(size_t max_streams, const ParityDecoderOptions& options);

  // `slot` is below max_streams everywhere.
  void AddStream(StreamSlot slot, const StreamInfo& info);
  void RemoveStream(StreamSlot slot);
  bool HasStream(StreamSlot slot) const { return streams_[slot.value()].active; }

  // A media packet of a stream, as it came. Delivers what it makes known.
  MediaVerdict OnMedia(StreamSlot slot, const RtpPacketView& packet, InterceptorOutbox& out);
  // A packet of a stream's repair SSRC. Delivers what it makes known.
  void OnParity(StreamSlot slot, const RtpPacketView& packet, InterceptorOutbox& out);

  // Parity packets that miss more than one.
  size_t waiting() const;
  const ParityDecoderCounters& counters() const { return counters_; }

 private:
  // Parity is about packets this near to the newest one, or about none that anybody waits for.
  static constexpr int64_t kMaxDistance = 512;

  struct Stream {
    bool active = false;
    StreamInfo info;
    SequenceUnwrapper<uint16_t> unwrapper;
    // How many of `parities_` are its.
    size_t waiting = 0;
  };
  struct Parity {
    StreamSlot slot = kNoStream;
    int64_t base = 0;
    // Not yet taken out of the sum.
    PacketMask missing;
    ParitySum sum;
  };

  // A place for one more: free, or of the oldest. Its storage is kept.
  Parity& TakePlace();
  void Free(Parity& parity);
  // Takes a packet out of all sums that it is in.
  void TakeOut(StreamSlot slot, int64_t sequence, const RtpPacketView& packet);
  // Recovers as long as a sum misses one packet only.
  void Settle(StreamSlot slot, InterceptorOutbox& out);
  void Recover(Parity& parity, InterceptorOutbox& out);
  void Expire(StreamSlot slot, int64_t newest);

  std::vector<Stream> streams_;
  ReceivedMedia media_;
  std::vector<uint8_t> storage_;
  std::vector<Parity> parities_;
  // Where the search for a place begins: places are given in turn.
  size_t next_place_ = 0;
  ParityDecoderCounters counters_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_FEC_PARITY_DECODER_H_
