#ifndef INTERCEPTOR_PACER_PROBE_STREAM_H_
#define INTERCEPTOR_PACER_PROBE_STREAM_H_

#include <cstdint>

#include "base/data_size.h"
#include "base/random_source.h"
#include "base/timestamp.h"
#include "srtp/packet_arena.h"
#include "srtp/rtp_types.h"

namespace sluice {

// Whose packets fill probes that media cannot: a stream of its own, so that no media stream is
// numbered anew. The leg declares it to the peer, and adds it to the chain with the extension that
// feedback needs.
struct ProbeStreamOptions {
  Ssrc ssrc = Ssrc(0);
  PayloadType payload_type = PayloadType(0);
};

// Makes packets that only measure (RFC 3550 section 5.1): zeros that nobody decodes. One thread.
class ProbeStream {
 public:
  // Longest packet: with an extension and what SRTP, UDP and IPv6 add it fits 1280 bytes
  // (RFC 8200 section 5).
  static constexpr DataSize kMaxPacket = DataSize::Bytes(1100);
  // A shorter one is mostly headers.
  static constexpr DataSize kMinPacket = DataSize::Bytes(200);

  // Sequence numbers and timestamps begin at random.
  ProbeStream(const ProbeStreamOptions& options, RandomSource& random);

  // A packet of about `size` bytes. Empty when the arena has no slot.
  PacketLoan Make(Timestamp now, DataSize size, PacketArena& arena);

 private:
  const ProbeStreamOptions options_;
  uint16_t sequence_;
  const uint32_t timestamp_offset_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_PACER_PROBE_STREAM_H_
