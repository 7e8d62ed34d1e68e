#ifndef SRTP_TESTING_PACKET_BUILDER_H_
#define SRTP_TESTING_PACKET_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "srtp/packet_arena.h"

namespace sluice {

// Writes RTP packets (RFC 3550 section 5.1) for tests. The same calls give the same bytes. A
// builder can be changed and built from again.
class RtpPacketBuilder {
 public:
  // A packet with payload type 96, all else 0, and no payload.
  RtpPacketBuilder() = default;

  RtpPacketBuilder& WithSequence(uint16_t sequence);
  RtpPacketBuilder& WithTimestamp(uint32_t timestamp);
  RtpPacketBuilder& WithSsrc(uint32_t ssrc);
  RtpPacketBuilder& WithPayloadType(uint8_t payload_type);
  RtpPacketBuilder& WithMarker(bool marker = true);
  // At most 15.
  RtpPacketBuilder& WithCsrcs(std::vector<uint32_t> csrcs);

  // Adds one element of the one-byte form: id 1..14, 1..16 bytes (RFC 8285 section 4.2).
  RtpPacketBuilder& AddOneByteExtension(uint8_t id, absl::Span<const uint8_t> data);
  // Adds one element of the two-byte form: id 1..255, 0..255 bytes (RFC 8285 section 4.3). The two
  // forms cannot be mixed in one packet. Afterwards `appbits` are the last ones given.
  RtpPacketBuilder& AddTwoByteExtension(uint8_t id, absl::Span<const uint8_t> data,
                                        uint8_t appbits = 0);
  // Any extension, well formed or not; padded with zeros to a multiple of four.
  RtpPacketBuilder& WithRawExtension(uint16_t profile, std::vector<uint8_t> data);

  // `size` bytes that count up from the sequence number's low byte.
  RtpPacketBuilder& WithPayloadSize(size_t size);
  RtpPacketBuilder& WithPayload(std::vector<uint8_t> payload);
  // `size` bytes of padding, count included; 0 for none. Sets P.
  RtpPacketBuilder& WithPadding(uint8_t size);

  std::vector<uint8_t> Build() const;
  // Empty when the arena has no slot; the packet must fit into it.
  PacketLoan BuildInto(PacketArena& arena) const;

 private:
  std::vector<uint8_t> Payload() const;

  uint16_t sequence_ = 0;
  uint32_t timestamp_ = 0;
  uint32_t ssrc_ = 0;
  uint8_t payload_type_ = 96;
  bool marker_ = false;
  std::vector<uint32_t> csrcs_;
  bool has_extension_ = false;
  uint16_t extension_profile_ = 0;
  std::vector<uint8_t> extension_;
  bool counting_payload_ = true;
  size_t payload_size_ = 0;
  std::vector<uint8_t> payload_;
  uint8_t padding_size_ = 0;
};

// One report block (RFC 3550 section 6.4.1).
struct RtcpReportBlock {
  uint32_t ssrc = 0;
  uint8_t fraction_lost = 0;
  // 24 bits, signed.
  int32_t cumulative_lost = 0;
  uint32_t extended_highest_sequence = 0;
  uint32_t jitter = 0;
  uint32_t last_sr = 0;
  uint32_t delay_since_last_sr = 0;
};

// Writes compound RTCP packets (RFC 3550 section 6.1) for tests; packets come in the order of the
// calls.
class RtcpPacketBuilder {
 public:
  RtcpPacketBuilder() = default;

  // RFC 3550 section 6.4.1. At most 31 blocks.
  RtcpPacketBuilder& AddSenderReport(uint32_t ssrc, uint64_t ntp_time, uint32_t rtp_timestamp,
                                     uint32_t packet_count, uint32_t octet_count,
                                     absl::Span<const RtcpReportBlock> blocks = {});
  // RFC 3550 section 6.4.2.
  RtcpPacketBuilder& AddReceiverReport(uint32_t ssrc,
                                       absl::Span<const RtcpReportBlock> blocks = {});
  // One chunk with one CNAME item of at most 255 bytes (RFC 3550 section 6.5.1).
  RtcpPacketBuilder& AddSourceDescription(uint32_t ssrc, absl::string_view cname);
  // At most 31 sources and 255 bytes of reason; no reason when empty (RFC 3550 section 6.6).
  RtcpPacketBuilder& AddGoodbye(absl::Span<const uint32_t> ssrcs, absl::string_view reason = "");
  // Any packet: five bits of count, type, and a body that is padded with zeros to a multiple of
  // four.
  RtcpPacketBuilder& AddRaw(uint8_t count, uint8_t type, absl::Span<const uint8_t> body);
  // Pads the packet added last and sets its P; a multiple of four in 4..252 (RFC 3550
  // section 6.4.1).
  RtcpPacketBuilder& WithPadding(uint8_t size);

  std::vector<uint8_t> Build() const { return bytes_; }
  // Empty when the arena has no slot; the packet must fit into it.
  PacketLoan BuildInto(PacketArena& arena) const;

 private:
  std::vector<uint8_t> bytes_;
  size_t last_packet_ = 0;
};

}  // namespace sluice

#endif  // SRTP_TESTING_PACKET_BUILDER_H_
