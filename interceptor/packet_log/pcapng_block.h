#ifndef INTERCEPTOR_PACKET_LOG_PCAPNG_BLOCK_H_
#define INTERCEPTOR_PACKET_LOG_PCAPNG_BLOCK_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "interceptor/stream_info.h"

namespace sluice {

// Blocks of a pcapng file (draft-ietf-opsawg-pcapng). Bytes only. All are big endian, which a
// section says of itself (section 4.1). Each call writes one whole block to the front of `out` and
// returns its size, a multiple of 4; 0, and what `out` has is worth nothing, when there is no room.

// Packets begin with an IPv4 or IPv6 header (LINKTYPE_RAW of the registry in
// draft-ietf-opsawg-pcaplinktype).
inline constexpr uint16_t kPcapngLinkTypeRaw = 101;

// The most that WriteEnhancedPacket adds to the packet's own bytes: 32 of the block, 3 of padding,
// and the options (flags 8, drop count 12, their end 4).
inline constexpr size_t kPcapngPacketOverhead = 32 + 3 + 24;
// What WriteInterfaceStatistics writes: 24 of the block, and the options (three counts of 12, their
// end 4).
inline constexpr size_t kPcapngStatisticsSize = 24 + 3 * 12 + 4;

// Section 4.1: the beginning of a file, of unknown length. `application` names what wrote it.
size_t WriteSectionHeader(absl::string_view application, absl::Span<uint8_t> out);

struct PcapngInterface {
  uint16_t link_type = kPcapngLinkTypeRaw;
  // Bytes that packets have at most.
  uint32_t snap_length = 0;
  absl::string_view name;
  absl::string_view description;
};
// Section 4.2: an interface. Those of a section are numbered from 0 in the order of their blocks.
// Times of its packets are microseconds.
size_t WriteInterfaceDescription(const PcapngInterface& interface, absl::Span<uint8_t> out);

struct PcapngPacket {
  uint32_t interface = 0;
  // Microseconds since 1970-01-01 00:00 UTC, as all times here.
  uint64_t time_us = 0;
  PacketDirection direction = PacketDirection::kIncoming;
  // The packet's bytes are these two, one behind the other.
  absl::Span<const uint8_t> head;
  absl::Span<const uint8_t> body;
  // At least what the two have; more when the packet was cut.
  uint32_t original_size = 0;
  // Packets lost since the last one of this interface.
  uint64_t dropped = 0;
};
// Section 4.3: a packet.
size_t WriteEnhancedPacket(const PcapngPacket& packet, absl::Span<uint8_t> out);

struct PcapngStatistics {
  uint32_t interface = 0;
  uint64_t time_us = 0;
  // Packets since the beginning: seen, lost before they could be written, and in the file.
  uint64_t received = 0;
  uint64_t dropped = 0;
  uint64_t delivered = 0;
};
// Section 4.6: what was seen at an interface up to a time.
size_t WriteInterfaceStatistics(const PcapngStatistics& statistics, absl::Span<uint8_t> out);

}  // namespace sluice

#endif  // INTERCEPTOR_PACKET_LOG_PCAPNG_BLOCK_H_
