#ifndef SRTP_RTP_PACKET_VIEW_H_
#define SRTP_RTP_PACKET_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "base/bounded_reader.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "srtp/rtp_types.h"

namespace sluice {

// The fixed part of the header (RFC 3550 section 5.1).
inline constexpr size_t kRtpFixedHeaderSize = 12;
// Profile and length in words, in front of an extension's data (RFC 3550 section 5.3.1).
inline constexpr size_t kRtpExtensionHeaderSize = 4;
// Profiles of the two forms of header extension (RFC 8285 sections 4.2 and 4.3). The low four bits
// of the two-byte form are "appbits" and may have any value.
inline constexpr uint16_t kOneByteExtensionProfile = 0xBEDE;
inline constexpr uint16_t kTwoByteExtensionProfile = 0x1000;
inline constexpr uint16_t kTwoByteExtensionProfileMask = 0xFFF0;

// One RTP packet whose lengths are proven; all reads after that cannot fail. Points into the bytes
// it was parsed from: they must stay where they are, and lengths in the header as they are, as long
// as the view is used. Copying is cheap.
class RtpPacketView {
 public:
  // A plain packet. nullopt unless V = 2, the header with CSRCs and extension lies inside `packet`
  // and, where P = 1, the last byte counts 1..payload bytes of padding (RFC 3550 section 5.1).
  static std::optional<RtpPacketView> Parse(absl::Span<const uint8_t> packet);

  // Only the header is looked at, for packets whose payload is still encrypted (RFC 3711
  // section 3.1): padding cannot be read, `padding_size()` is 0 and `payload()` has ciphertext, MKI
  // and tag.
  static std::optional<RtpPacketView> ParseHeader(absl::Span<const uint8_t> packet);

  // Fields of RFC 3550 section 5.1.
  Ssrc ssrc() const { return Ssrc(fixed_.Load32<8>()); }
  SequenceNumber sequence_number() const { return SequenceNumber(fixed_.Load16<2>()); }
  RtpTimestamp timestamp() const { return RtpTimestamp(fixed_.Load32<4>()); }
  PayloadType payload_type() const { return PayloadType(fixed_.Load8<1>() & 0x7F); }
  bool marker() const { return (fixed_.Load8<1>() & 0x80) != 0; }
  bool has_padding() const { return (fixed_.Load8<0>() & 0x20) != 0; }
  bool has_extension() const { return (fixed_.Load8<0>() & 0x10) != 0; }

  // 0..15.
  size_t csrc_count() const { return fixed_.Load8<0>() & 0x0F; }
  // `i` < csrc_count().
  Ssrc csrc(size_t i) const {
    SLUICE_DCHECK(i < csrc_count());
    return Ssrc(LoadBe32(packet_.data() + kRtpFixedHeaderSize + 4 * i));
  }

  // Everything in front of the payload: fixed part, CSRCs, extension with its own header. These are
  // the bytes that SRTP leaves readable (RFC 3711 section 3.1).
  size_t header_size() const { return header_size_; }
  absl::Span<const uint8_t> header() const { return packet_.first(header_size_); }

  // "Defined by profile" of RFC 3550 section 5.3.1; 0 without extension.
  uint16_t extension_profile() const {
    return has_extension() ? LoadBe16(packet_.data() + extension_offset()) : uint16_t{0};
  }
  // What follows the extension's own header; a multiple of four bytes, empty without extension.
  absl::Span<const uint8_t> extension_data() const {
    if (!has_extension()) {
      return {};
    }
    const size_t begin = extension_offset() + kRtpExtensionHeaderSize;
    return {packet_.data() + begin, header_size_ - begin};
  }

  // What follows the header, with padding.
  absl::Span<const uint8_t> payload() const { return packet_.subspan(header_size_); }
  // The padding count's own byte included; 0..255. 0 after ParseHeader.
  size_t padding_size() const { return padding_size_; }
  // May be empty: a probe may have nothing but padding.
  absl::Span<const uint8_t> payload_without_padding() const {
    return packet_.subspan(header_size_, packet_.size() - header_size_ - padding_size_);
  }

  // All of it.
  absl::Span<const uint8_t> bytes() const { return packet_; }

  // Calls `f(uint8_t id, absl::Span<const uint8_t> data)` for each extension element of the
  // one-byte form (ids 1..14, 1..16 bytes; RFC 8285 section 4.2) or the two-byte form (ids 1..255,
  // 0..255 bytes; section 4.3); an extension of any other profile has no elements. In the one-byte
  // form id 15 and id 0 with a length end the walk, and in both so does a length past the
  // extension's end; what was seen before counts.
  template <typename F>
  void ForEachExtension(F&& f) const;

 private:
  RtpPacketView(FixedReader<kRtpFixedHeaderSize> fixed, absl::Span<const uint8_t> packet,
                size_t header_size)
      : fixed_(fixed), packet_(packet), header_size_(static_cast<uint32_t>(header_size)) {}

  size_t extension_offset() const { return kRtpFixedHeaderSize + 4 * csrc_count(); }
  template <typename F>
  static void WalkOneByteForm(absl::Span<const uint8_t> data, F& f);
  template <typename F>
  static void WalkTwoByteForm(absl::Span<const uint8_t> data, F& f);

  FixedReader<kRtpFixedHeaderSize> fixed_;
  absl::Span<const uint8_t> packet_;
  // At most 12 + 4 * 15 + 4 + 4 * 65535.
  uint32_t header_size_;
  uint8_t padding_size_ = 0;
};

inline std::optional<RtpPacketView> RtpPacketView::ParseHeader(absl::Span<const uint8_t> packet) {
  const auto fixed = FixedReader<kRtpFixedHeaderSize>::From(packet);
  if (!fixed.has_value()) {
    return std::nullopt;
  }
  const uint8_t first = fixed->Load8<0>();
  if (first >> 6 != 2) {
    return std::nullopt;
  }
  size_t header_size = kRtpFixedHeaderSize + 4 * size_t{first & 0x0Fu};
  if ((first & 0x10) != 0) {
    // At most 72: no addition here can overflow.
    header_size += kRtpExtensionHeaderSize;
    if (header_size > packet.size()) {
      return std::nullopt;
    }
    header_size += 4 * size_t{LoadBe16(packet.data() + header_size - 2)};
  }
  if (header_size > packet.size()) {
    return std::nullopt;
  }
  return RtpPacketView(*fixed, packet, header_size);
}

template <typename F>
void RtpPacketView::ForEachExtension(F&& f) const {
  const uint16_t profile = extension_profile();
  if (profile == kOneByteExtensionProfile) {
    WalkOneByteForm(extension_data(), f);
  } else if ((profile & kTwoByteExtensionProfileMask) == kTwoByteExtensionProfile) {
    WalkTwoByteForm(extension_data(), f);
  }
}

template <typename F>
void RtpPacketView::WalkOneByteForm(absl::Span<const uint8_t> data, F& f) {
  size_t at = 0;
  while (at < data.size()) {
    const uint8_t head = data[at++];
    if (head == 0) {
      continue;  // Padding.
    }
    const uint8_t id = head >> 4;
    const size_t size = (head & 0x0F) + size_t{1};
    // Section 4.2: id 15 ends the processing; section 4.1.2: so does id 0 with a length.
    if (id == 0 || id == 15 || size > data.size() - at) {
      return;
    }
    f(id, data.subspan(at, size));
    at += size;
  }
}

template <typename F>
void RtpPacketView::WalkTwoByteForm(absl::Span<const uint8_t> data, F& f) {
  size_t at = 0;
  while (at < data.size()) {
    const uint8_t id = data[at++];
    if (id == 0) {
      continue;  // Padding is one byte without a length (RFC 8285 section 4.3).
    }
    if (at == data.size()) {
      return;
    }
    const size_t size = data[at++];
    if (size > data.size() - at) {
      return;
    }
    f(id, data.subspan(at, size));
    at += size;
  }
}

}  // namespace sluice

#endif  // SRTP_RTP_PACKET_VIEW_H_
