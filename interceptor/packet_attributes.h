#ifndef INTERCEPTOR_PACKET_ATTRIBUTES_H_
#define INTERCEPTOR_PACKET_ATTRIBUTES_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/data_size.h"
#include "base/strong_int.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "srtp/rtp_types.h"

namespace sluice {

// 16 bits, wraps; one count for all streams of a transport
// (draft-holmer-rmcat-transport-wide-cc-extensions-01 section 2).
using TransportSequence = StrongInt<struct TransportSequenceTag, uint16_t>;

// A short identifier from a header extension, held by value. The one-byte form carries at most 16
// bytes (RFC 8285 section 4.2) and RFC 8852 section 3 asks for fewer; a longer one is no
// identifier of ours.
class ExtensionText {
 public:
  static constexpr size_t kMaxSize = 16;

  // Nothing when `text` is empty or longer than kMaxSize.
  static std::optional<ExtensionText> From(absl::Span<const uint8_t> text) {
    if (text.empty() || text.size() > kMaxSize) {
      return std::nullopt;
    }
    ExtensionText result;
    result.size_ = static_cast<uint8_t>(text.size());
    CopyBytes(absl::MakeSpan(result.bytes_), text);
    return result;
  }

  // Valid as long as this.
  absl::Span<const uint8_t> bytes() const { return {bytes_, size_}; }

  friend bool operator==(const ExtensionText& a, const ExtensionText& b) {
    return a.bytes() == b.bytes();
  }

 private:
  ExtensionText() = default;

  uint8_t bytes_[kMaxSize] = {};
  uint8_t size_ = 0;
};

// What a retransmission said of itself before it was made the original packet again (RFC 4588
// section 4).
struct RetransmissionOrigin {
  PayloadType payload_type;
  Ssrc ssrc;
  SequenceNumber sequence;
};

// RFC 6464 section 3.
struct AudioLevel {
  // 0..127: decibels below overload, so 127 is silence.
  uint8_t below_overload_db;
  bool voice;
};

// One packet of ours that the peer reported on.
struct PacketReport {
  // Counts through all reports; unwrapped.
  int64_t sequence;
  DataSize size;
  // By our clock.
  Timestamp sent;
  // By the peer's clock, whose origin is unknown; PlusInfinity: not received.
  Timestamp arrived;
  // From a probe; 0: from none.
  uint32_t probe_cluster;
};

// What one datagram of feedback says, whichever its format: transport-wide feedback or RFC 8888.
struct FeedbackReport {
  // When the feedback came, by our clock.
  Timestamp received;
  // Not later than the end of the batch; in the order of sending. Owned by the interceptor that
  // made it.
  absl::Span<const PacketReport> packets;
};

// What is known of a packet beyond its bytes. Each fact is there or not; who reads one treats "no
// attributes at all" as "not there". The parsed header is no attribute: every packet has it
// (intercepted_packet.h).
struct PacketAttributes {
  // When the packet came, where that is known better than by the time of its batch.
  std::optional<Timestamp> arrival;
  std::optional<TransportSequence> transport_sequence;
  std::optional<RetransmissionOrigin> retransmission;
  std::optional<AudioLevel> audio_level;
  // RFC 9143 section 15 and RFC 8852 section 3.
  std::optional<ExtensionText> mid;
  std::optional<ExtensionText> rid;
  // Of a packet that a probe put on its way: which probe, not 0.
  std::optional<uint32_t> probe_cluster;
  // Of an RTCP datagram with feedback about packets we sent.
  std::optional<FeedbackReport> feedback;
};

}  // namespace sluice

#endif  // INTERCEPTOR_PACKET_ATTRIBUTES_H_
