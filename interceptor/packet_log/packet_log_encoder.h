#ifndef INTERCEPTOR_PACKET_LOG_PACKET_LOG_ENCODER_H_
#define INTERCEPTOR_PACKET_LOG_PACKET_LOG_ENCODER_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "interceptor/packet_log/datagram_header.h"
#include "interceptor/packet_log/packet_log_ring.h"
#include "interceptor/packet_log/pcapng_block.h"
#include "interceptor/stream_info.h"

namespace sluice {

// Both ends of one flow of a leg; of one family.
struct PacketLogPath {
  LoggedAddress local;
  LoggedAddress remote;
};

struct PacketLogEncoderOptions {
  PacketLogPath rtp;
  // The same as `rtp` when they share a port (RFC 5761).
  PacketLogPath rtcp;
  // As of the ring.
  size_t snap_length = kMaxDatagramSize;
  // What to add to a Timestamp to have the time since 1970-01-01 00:00 UTC; finite.
  TimeDelta unix_offset = TimeDelta::Zero();
};

// Room for what WriteHeader writes.
inline constexpr size_t kPacketLogHeaderRoom = 512;
// What WriteStatistics writes.
inline constexpr size_t kPacketLogStatisticsSize = 2 * kPcapngStatisticsSize;

// The log of one leg as a pcapng file: IP packets, so that any reader of such files takes them
// apart. Two interfaces, "incoming" and "outgoing", each with its own count of lost packets. Bytes
// only; the calls write whole blocks to the front of `out` and return how many bytes, 0 when there
// is no room.
class PacketLogEncoder {
 public:
  // InvalidArgument when the ends of a path differ in their family or the offset is not finite.
  static absl::StatusOr<PacketLogEncoder> Create(const PacketLogEncoderOptions& options);

  // The beginning of a file.
  size_t WriteHeader(absl::Span<uint8_t> out) const;
  // One packet, at most max_packet_size().
  size_t WritePacket(const PacketLogRecord& record, absl::Span<uint8_t> out) const;
  // The end of a file: what the ring counted of each direction, and how many packets of each are in
  // the file.
  size_t WriteStatistics(Timestamp now, const PacketLogRing& ring, uint64_t incoming_written,
                         uint64_t outgoing_written, absl::Span<uint8_t> out) const;

  size_t max_packet_size() const {
    return options_.snap_length + kMaxDatagramHeaderSize + kPcapngPacketOverhead;
  }

 private:
  explicit PacketLogEncoder(const PacketLogEncoderOptions& options) : options_(options) {}

  uint64_t UnixMicros(Timestamp time) const;

  PacketLogEncoderOptions options_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_PACKET_LOG_PACKET_LOG_ENCODER_H_
