#ifndef INTERCEPTOR_INTERCEPTOR_OUTBOX_H_
#define INTERCEPTOR_INTERCEPTOR_OUTBOX_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "interceptor/attributes_arena.h"
#include "interceptor/intercepted_packet.h"
#include "interceptor/interceptor_event.h"
#include "srtp/packet_arena.h"

namespace sluice {

// Longest RTCP datagram that a chain makes. With UDP, IPv6 and SRTCP around it, it fits the 1280
// bytes that every IPv6 path carries (RFC 8200 section 5).
inline constexpr size_t kMaxRtcpDatagramSize = 1200;
// Longest RTCP packet in one: what an empty receiver report (8 bytes) and the longest SDES of ours
// (76 bytes) in front of it leave of the datagram.
inline constexpr size_t kMaxRtcpPacketSize = kMaxRtcpDatagramSize - 84;

struct InterceptorOutboxLimits {
  // RTP packets made by the chain in one batch, each way.
  size_t rtp_packets = 256;
  // RTCP packets in one batch, and what they may have of bytes together.
  size_t rtcp_packets = 64;
  size_t rtcp_bytes = 16 * 1024;
  size_t events = 64;
};

// What had no room in an outbox, since its construction: packets each way together; and what was no
// RTP packet.
struct InterceptorDrops {
  uint64_t rtp = 0;
  uint64_t rtcp = 0;
  uint64_t events = 0;
  uint64_t malformed = 0;

  friend InterceptorDrops operator+(const InterceptorDrops& a, const InterceptorDrops& b) {
    return {a.rtp + b.rtp, a.rtcp + b.rtcp, a.events + b.events, a.malformed + b.malformed};
  }
};

// An RTP packet that an interceptor made, held back or computed.
struct OutboxRtp {
  // Empty when an interceptor on the way took it.
  PacketLoan packet;
  PacketSource source;
  // For the chain: who put it here, and what was known of it then.
  AttributesRef attributes;
  uint8_t position;
};

// Where the interceptors of a chain put what they want sent or said during one batch, and where the
// leg finds it. One per worker, emptied between two legs. Fixed capacities: what does not fit is
// refused and counted. One thread.
class InterceptorOutbox {
 public:
  // The arenas outlive the outbox.
  InterceptorOutbox(const InterceptorOutboxLimits& limits, PacketArena& packets,
                    AttributesArena& attributes);
  InterceptorOutbox(const InterceptorOutbox&) = delete;
  InterceptorOutbox& operator=(const InterceptorOutbox&) = delete;

  // ---- For interceptors. ----

  // Slots for packets to be made. No loan when there is none: the packet is then not made.
  PacketArena& packets() { return packets_; }
  // For AttributesRef::Ensure.
  AttributesArena& attributes() { return attributes_; }

  // A plain RTP packet for the peer: it passes the outgoing hooks between the interceptor and the
  // wire. False, and the packet returns to its arena, when the outbox is full.
  bool SendRtp(PacketLoan packet, PacketSource source, AttributesRef attributes = {});
  // A plain RTP packet as if it came from the peer: it passes the incoming hooks between the
  // interceptor and the application.
  bool DeliverRtp(PacketLoan packet, PacketSource source, AttributesRef attributes = {});

  // Room for one RTCP packet of at most `max_size` bytes, a multiple of 4 up to kMaxRtcpPacketSize;
  // empty, and counted, when the outbox is full. Goes out with what else the batch gives, behind
  // reports and CNAME where the leg needs them (rtcp_assembler.h): write feedback alone and reports
  // without SDES. Ends the previous reservation.
  [[nodiscard]] absl::Span<uint8_t> ReserveRtcp(size_t max_size);
  // The first `size` bytes of the room are a packet; 0: there is none after all. Its own length
  // must say `size` (RFC 3550 section 6.4.1).
  void CommitRtcp(size_t size);

  // False, and counted, when there is no room.
  bool Raise(const InterceptorEvent& event);

  // ---- For the leg, after a call of its chain. ----

  // To be protected and sent, in order, behind what the call left of its batch.
  absl::Span<OutboxRtp> sends() { return absl::MakeSpan(sends_); }
  // To be handled like what the call left of its incoming batch.
  absl::Span<OutboxRtp> deliveries() { return absl::MakeSpan(deliveries_); }
  // RTCP datagrams to be protected and sent; empty loans are to be passed over.
  absl::Span<PacketLoan> rtcp() { return absl::MakeSpan(rtcp_); }
  // What was raised, in order.
  absl::Span<const InterceptorEvent> events() const { return events_; }
  // Ends the batch: what is left here is dropped, and all attributes return to their arena.
  void EndBatch();

  // Since construction: refused for lack of room, each way together; packets of interceptors that
  // are no RTP packets.
  uint64_t rtp_dropped() const { return rtp_dropped_; }
  uint64_t rtcp_dropped() const { return rtcp_dropped_; }
  uint64_t events_dropped() const { return events_dropped_; }
  uint64_t rtp_malformed() const { return rtp_malformed_; }
  // The same together.
  InterceptorDrops drops() const {
    return {rtp_dropped_, rtcp_dropped_, events_dropped_, rtp_malformed_};
  }

 private:
  friend class InterceptorChain;
  friend class RtcpAssembler;

  // Position of the leg itself: behind the last interceptor.
  static constexpr uint8_t kLegPosition = 0xFF;

  struct StagedRtcp {
    uint32_t offset;
    uint32_t size;
  };

  // Something was put here that has not passed the hooks yet; RTCP apart.
  bool HasNews() const {
    return events_told_ < events_.size() || sends_passed_ < sends_.size() ||
           deliveries_passed_ < deliveries_.size();
  }
  bool Push(std::vector<OutboxRtp>& list, PacketLoan packet, PacketSource source,
            AttributesRef attributes);
  absl::Span<const uint8_t> staged(size_t i) const {
    return absl::MakeConstSpan(staging_).subspan(staged_[i].offset, staged_[i].size);
  }

  const InterceptorOutboxLimits limits_;
  PacketArena& packets_;
  AttributesArena& attributes_;

  // Reserved in full: entries do not move while rows of a batch point to them.
  std::vector<OutboxRtp> sends_;
  std::vector<OutboxRtp> deliveries_;
  std::vector<PacketLoan> rtcp_;
  std::vector<InterceptorEvent> events_;
  std::vector<uint8_t> event_positions_;
  // RTCP packets that are not yet in a datagram.
  std::vector<uint8_t> staging_;
  std::vector<StagedRtcp> staged_;
  size_t staging_used_ = 0;
  size_t reserved_ = 0;

  // How far the chain has come: what is behind has not passed the hooks yet.
  size_t sends_passed_ = 0;
  size_t deliveries_passed_ = 0;
  size_t rtcp_passed_ = 0;
  size_t events_told_ = 0;
  // Whose call it is.
  uint8_t position_ = kLegPosition;

  uint64_t rtp_dropped_ = 0;
  uint64_t rtcp_dropped_ = 0;
  uint64_t events_dropped_ = 0;
  uint64_t rtp_malformed_ = 0;
};

}  // namespace sluice

#endif  // INTERCEPTOR_INTERCEPTOR_OUTBOX_H_
