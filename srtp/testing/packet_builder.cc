#include "srtp/testing/packet_builder.h"

#include <utility>

#include "base/byte_order.h"
#include "base/check.h"
#include "srtp/rtcp_packet_view.h"
#include "srtp/rtp_packet_view.h"

namespace sluice {
namespace {

void Append8(std::vector<uint8_t>& bytes, uint8_t value) { bytes.push_back(value); }

void Append16(std::vector<uint8_t>& bytes, uint16_t value) {
  Append8(bytes, static_cast<uint8_t>(value >> 8));
  Append8(bytes, static_cast<uint8_t>(value));
}

void Append32(std::vector<uint8_t>& bytes, uint32_t value) {
  Append16(bytes, static_cast<uint16_t>(value >> 16));
  Append16(bytes, static_cast<uint16_t>(value));
}

void Append64(std::vector<uint8_t>& bytes, uint64_t value) {
  Append32(bytes, static_cast<uint32_t>(value >> 32));
  Append32(bytes, static_cast<uint32_t>(value));
}

template <typename Bytes>
void AppendBytes(std::vector<uint8_t>& bytes, const Bytes& more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

void PadToWord(std::vector<uint8_t>& bytes) {
  while (bytes.size() % 4 != 0) {
    bytes.push_back(0);
  }
}

// `size` bytes of padding, the last of which counts them.
void AppendPadding(std::vector<uint8_t>& bytes, uint8_t size) {
  if (size > 0) {
    bytes.insert(bytes.end(), size - 1u, 0);
    bytes.push_back(size);
  }
}

void AppendReportBlocks(std::vector<uint8_t>& bytes, absl::Span<const RtcpReportBlock> blocks) {
  for (const RtcpReportBlock& block : blocks) {
    Append32(bytes, block.ssrc);
    Append32(bytes, uint32_t{block.fraction_lost} << 24 |
                        (static_cast<uint32_t>(block.cumulative_lost) & 0xFFFFFF));
    Append32(bytes, block.extended_highest_sequence);
    Append32(bytes, block.jitter);
    Append32(bytes, block.last_sr);
    Append32(bytes, block.delay_since_last_sr);
  }
}

PacketLoan LendWith(PacketArena& arena, absl::Span<const uint8_t> bytes) {
  PacketLoan packet = arena.Lend();
  if (packet) {
    SLUICE_CHECK(packet.Resize(bytes.size()));
    CopyBytes(packet.bytes(), bytes);
  }
  return packet;
}

}  // namespace

RtpPacketBuilder& RtpPacketBuilder::WithSequence(uint16_t sequence) {
  sequence_ = sequence;
  return *this;
}

RtpPacketBuilder& RtpPacketBuilder::WithTimestamp(uint32_t timestamp) {
  timestamp_ = timestamp;
  return *this;
}

RtpPacketBuilder& RtpPacketBuilder::WithSsrc(uint32_t ssrc) {
  ssrc_ = ssrc;
  return *this;
}

RtpPacketBuilder& RtpPacketBuilder::WithPayloadType(uint8_t payload_type) {
  SLUICE_CHECK(payload_type <= 127);
  payload_type_ = payload_type;
  return *this;
}

RtpPacketBuilder& RtpPacketBuilder::WithMarker(bool marker) {
  marker_ = marker;
  return *this;
}

RtpPacketBuilder& RtpPacketBuilder::WithCsrcs(std::vector<uint32_t> csrcs) {
  SLUICE_CHECK(csrcs.size() <= 15);
  csrcs_ = std::move(csrcs);
  return *this;
}

RtpPacketBuilder& RtpPacketBuilder::AddOneByteExtension(uint8_t id,
                                                        absl::Span<const uint8_t> data) {
  SLUICE_CHECK(id >= 1 && id <= 14 && !data.empty() && data.size() <= 16);
  SLUICE_CHECK(!has_extension_ || extension_profile_ == kOneByteExtensionProfile);
  has_extension_ = true;
  extension_profile_ = kOneByteExtensionProfile;
  Append8(extension_, static_cast<uint8_t>(id << 4 | (data.size() - 1)));
  AppendBytes(extension_, data);
  return *this;
}

RtpPacketBuilder& RtpPacketBuilder::AddTwoByteExtension(uint8_t id, absl::Span<const uint8_t> data,
                                                        uint8_t appbits) {
  SLUICE_CHECK(id >= 1 && data.size() <= 255 && appbits <= 15);
  SLUICE_CHECK(!has_extension_ ||
               (extension_profile_ & kTwoByteExtensionProfileMask) == kTwoByteExtensionProfile);
  has_extension_ = true;
  extension_profile_ = kTwoByteExtensionProfile | appbits;
  Append8(extension_, id);
  Append8(extension_, static_cast<uint8_t>(data.size()));
  AppendBytes(extension_, data);
  return *this;
}

RtpPacketBuilder& RtpPacketBuilder::WithRawExtension(uint16_t profile, std::vector<uint8_t> data) {
  has_extension_ = true;
  extension_profile_ = profile;
  extension_ = std::move(data);
  return *this;
}

RtpPacketBuilder& RtpPacketBuilder::WithPayloadSize(size_t size) {
  counting_payload_ = true;
  payload_size_ = size;
  return *this;
}

RtpPacketBuilder& RtpPacketBuilder::WithPayload(std::vector<uint8_t> payload) {
  counting_payload_ = false;
  payload_ = std::move(payload);
  return *this;
}

RtpPacketBuilder& RtpPacketBuilder::WithPadding(uint8_t size) {
  padding_size_ = size;
  return *this;
}

std::vector<uint8_t> RtpPacketBuilder::Payload() const {
  if (!counting_payload_) {
    return payload_;
  }
  std::vector<uint8_t> payload(payload_size_);
  for (size_t i = 0; i < payload.size(); ++i) {
    payload[i] = static_cast<uint8_t>(sequence_ + i);
  }
  return payload;
}

std::vector<uint8_t> RtpPacketBuilder::Build() const {
  std::vector<uint8_t> bytes;
  Append8(bytes, static_cast<uint8_t>(0x80 | (padding_size_ > 0 ? 0x20 : 0) |
                                      (has_extension_ ? 0x10 : 0) | csrcs_.size()));
  Append8(bytes, static_cast<uint8_t>((marker_ ? 0x80 : 0) | payload_type_));
  Append16(bytes, sequence_);
  Append32(bytes, timestamp_);
  Append32(bytes, ssrc_);
  for (const uint32_t csrc : csrcs_) {
    Append32(bytes, csrc);
  }
  if (has_extension_) {
    std::vector<uint8_t> extension = extension_;
    PadToWord(extension);
    Append16(bytes, extension_profile_);
    Append16(bytes, static_cast<uint16_t>(extension.size() / 4));
    AppendBytes(bytes, extension);
  }
  AppendBytes(bytes, Payload());
  AppendPadding(bytes, padding_size_);
  return bytes;
}

PacketLoan RtpPacketBuilder::BuildInto(PacketArena& arena) const {
  return LendWith(arena, Build());
}

RtcpPacketBuilder& RtcpPacketBuilder::AddSenderReport(uint32_t ssrc, uint64_t ntp_time,
                                                      uint32_t rtp_timestamp, uint32_t packet_count,
                                                      uint32_t octet_count,
                                                      absl::Span<const RtcpReportBlock> blocks) {
  std::vector<uint8_t> body;
  Append32(body, ssrc);
  Append64(body, ntp_time);
  Append32(body, rtp_timestamp);
  Append32(body, packet_count);
  Append32(body, octet_count);
  AppendReportBlocks(body, blocks);
  return AddRaw(static_cast<uint8_t>(blocks.size()), kRtcpSenderReport, body);
}

RtcpPacketBuilder& RtcpPacketBuilder::AddReceiverReport(uint32_t ssrc,
                                                        absl::Span<const RtcpReportBlock> blocks) {
  std::vector<uint8_t> body;
  Append32(body, ssrc);
  AppendReportBlocks(body, blocks);
  return AddRaw(static_cast<uint8_t>(blocks.size()), kRtcpReceiverReport, body);
}

RtcpPacketBuilder& RtcpPacketBuilder::AddSourceDescription(uint32_t ssrc, absl::string_view cname) {
  SLUICE_CHECK(cname.size() <= 255);
  constexpr uint8_t kCname = 1;
  std::vector<uint8_t> body;
  Append32(body, ssrc);
  Append8(body, kCname);
  Append8(body, static_cast<uint8_t>(cname.size()));
  AppendBytes(body, cname);
  // RFC 3550 section 6.5: the list of items ends with at least one zero byte.
  Append8(body, 0);
  return AddRaw(1, kRtcpSourceDescription, body);
}

RtcpPacketBuilder& RtcpPacketBuilder::AddGoodbye(absl::Span<const uint32_t> ssrcs,
                                                 absl::string_view reason) {
  SLUICE_CHECK(reason.size() <= 255);
  std::vector<uint8_t> body;
  for (const uint32_t ssrc : ssrcs) {
    Append32(body, ssrc);
  }
  if (!reason.empty()) {
    Append8(body, static_cast<uint8_t>(reason.size()));
    AppendBytes(body, reason);
  }
  return AddRaw(static_cast<uint8_t>(ssrcs.size()), kRtcpGoodbye, body);
}

RtcpPacketBuilder& RtcpPacketBuilder::AddRaw(uint8_t count, uint8_t type,
                                             absl::Span<const uint8_t> body) {
  SLUICE_CHECK(count <= 31);
  last_packet_ = bytes_.size();
  Append8(bytes_, static_cast<uint8_t>(0x80 | count));
  Append8(bytes_, type);
  Append16(bytes_, static_cast<uint16_t>((body.size() + 3) / 4));
  AppendBytes(bytes_, body);
  PadToWord(bytes_);
  return *this;
}

RtcpPacketBuilder& RtcpPacketBuilder::WithPadding(uint8_t size) {
  SLUICE_CHECK(!bytes_.empty() && size > 0 && size % 4 == 0);
  bytes_[last_packet_] |= 0x20;
  AppendPadding(bytes_, size);
  StoreBe16(&bytes_[last_packet_ + 2],
            static_cast<uint16_t>((bytes_.size() - last_packet_) / 4 - 1));
  return *this;
}

PacketLoan RtcpPacketBuilder::BuildInto(PacketArena& arena) const {
  return LendWith(arena, bytes_);
}

}  // namespace sluice
