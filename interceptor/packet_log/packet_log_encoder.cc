#include "interceptor/packet_log/packet_log_encoder.h"

#include <algorithm>
#include <array>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "srtp/packet_kind.h"

namespace sluice {
namespace {

constexpr absl::string_view kApplication = "Sluice";

// Numbers of the interfaces, in the order in which WriteHeader describes them.
uint32_t InterfaceOf(PacketDirection direction) {
  return direction == PacketDirection::kIncoming ? 0 : 1;
}

}  // namespace

absl::StatusOr<PacketLogEncoder> PacketLogEncoder::Create(const PacketLogEncoderOptions& options) {
  for (const PacketLogPath& path : {options.rtp, options.rtcp}) {
    if (path.local.family != path.remote.family) {
      return absl::InvalidArgumentError(
          "local and remote address of a packet log are not both IPv4 or both IPv6");
    }
  }
  if (!options.unix_offset.IsFinite()) {
    return absl::InvalidArgumentError(
        absl::StrCat("unix_offset is ", options.unix_offset, ", want a finite one"));
  }
  return PacketLogEncoder(options);
}

uint64_t PacketLogEncoder::UnixMicros(Timestamp time) const {
  return static_cast<uint64_t>(std::max<int64_t>((time + options_.unix_offset).us(), 0));
}

size_t PacketLogEncoder::WriteHeader(absl::Span<uint8_t> out) const {
  size_t size = WriteSectionHeader(kApplication, out);
  if (size == 0) {
    return 0;
  }
  PcapngInterface interface;
  interface.snap_length = static_cast<uint32_t>(kMaxDatagramHeaderSize + options_.snap_length);
  for (const PacketDirection direction : {PacketDirection::kIncoming, PacketDirection::kOutgoing}) {
    const bool incoming = direction == PacketDirection::kIncoming;
    interface.name = incoming ? "incoming" : "outgoing";
    interface.description =
        incoming ? "from the peer, decrypted" : "to the peer, not yet encrypted";
    const size_t added = WriteInterfaceDescription(interface, out.subspan(size));
    if (added == 0) {
      return 0;
    }
    size += added;
  }
  return size;
}

size_t PacketLogEncoder::WritePacket(const PacketLogRecord& record, absl::Span<uint8_t> out) const {
  const PacketLogPath& path = record.kind == PacketKind::kRtp ? options_.rtp : options_.rtcp;
  const bool incoming = record.direction == PacketDirection::kIncoming;
  std::array<uint8_t, kMaxDatagramHeaderSize> header;
  const size_t header_size =
      WriteDatagramHeader(incoming ? path.remote : path.local, incoming ? path.local : path.remote,
                          record.bytes, record.original_size, absl::MakeSpan(header));
  return WriteEnhancedPacket({.interface = InterfaceOf(record.direction),
                              .time_us = UnixMicros(record.time),
                              .direction = record.direction,
                              .head = absl::MakeConstSpan(header).first(header_size),
                              .body = record.bytes,
                              .original_size = static_cast<uint32_t>(
                                  std::min<size_t>(header_size + record.original_size, UINT32_MAX)),
                              .dropped = record.dropped_before},
                             out);
}

size_t PacketLogEncoder::WriteStatistics(Timestamp now, const PacketLogRing& ring,
                                         uint64_t incoming_written, uint64_t outgoing_written,
                                         absl::Span<uint8_t> out) const {
  size_t size = 0;
  for (const PacketDirection direction : {PacketDirection::kIncoming, PacketDirection::kOutgoing}) {
    const PacketLogCounters counters = ring.counters(direction);
    const size_t added = WriteInterfaceStatistics(
        {.interface = InterfaceOf(direction),
         .time_us = UnixMicros(now),
         .received = counters.logged + counters.dropped,
         .dropped = counters.dropped,
         .delivered =
             direction == PacketDirection::kIncoming ? incoming_written : outgoing_written},
        out.subspan(size));
    if (added == 0) {
      return 0;
    }
    size += added;
  }
  return size;
}

}  // namespace sluice
