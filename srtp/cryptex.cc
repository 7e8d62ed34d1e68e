#include "srtp/cryptex.h"

#include <optional>

#include "base/byte_order.h"
#include "base/check.h"

namespace sluice {
namespace {

// X of the first byte (RFC 3550 section 5.1).
constexpr uint8_t kExtensionBit = 0x10;

size_t ExtensionHeaderOffset(size_t csrc_count) {
  // Their count has four bits.
  SLUICE_DCHECK(csrc_count <= 15);
  return kRtpFixedHeaderSize + 4 * csrc_count;
}

// Puts an empty extension behind the CSRCs. The profile is the caller's to write.
bool AddEmptyExtension(PacketLoan& packet, size_t csrc_count) {
  if (!packet.Prepend(kRtpExtensionHeaderSize)) {
    return false;
  }
  const absl::Span<uint8_t> bytes = packet.bytes();
  const size_t offset = ExtensionHeaderOffset(csrc_count);
  CopyBytes(bytes, bytes.subspan(kRtpExtensionHeaderSize, offset));
  bytes[0] |= kExtensionBit;
  StoreBe32(bytes.data() + offset, 0);
  return true;
}

}  // namespace

bool IsCryptex(const RtpPacketView& packet) {
  const uint16_t profile = packet.extension_profile();
  return profile == kCryptexOneByteProfile || profile == kCryptexTwoByteProfile;
}

bool HasAnythingToHide(const RtpPacketView& packet) {
  return packet.csrc_count() > 0 || packet.has_extension();
}

bool CanBeCryptex(const RtpPacketView& packet) {
  if (!packet.has_extension()) {
    return packet.csrc_count() > 0;
  }
  const uint16_t profile = packet.extension_profile();
  return profile == kOneByteExtensionProfile || profile == kTwoByteExtensionProfile;
}

bool NeedsCryptexExtension(const RtpPacketView& packet) {
  return packet.csrc_count() > 0 && !packet.has_extension();
}

size_t MarkCryptex(PacketLoan& packet) {
  const std::optional<RtpPacketView> view = RtpPacketView::ParseHeader(packet.bytes());
  if (!view.has_value() || !CanBeCryptex(*view)) {
    return 0;
  }
  const uint16_t profile = view->extension_profile() == kTwoByteExtensionProfile
                               ? kCryptexTwoByteProfile
                               : kCryptexOneByteProfile;
  const size_t csrc_count = view->csrc_count();
  size_t header_size = view->header_size();
  if (!view->has_extension()) {
    if (!AddEmptyExtension(packet, csrc_count)) {
      return 0;
    }
    header_size += kRtpExtensionHeaderSize;
  }
  StoreBe16(packet.bytes().data() + ExtensionHeaderOffset(csrc_count), profile);
  return header_size;
}

void UnmarkCryptex(absl::Span<uint8_t> packet) {
  const std::optional<RtpPacketView> view = RtpPacketView::ParseHeader(packet);
  if (!view.has_value() || !IsCryptex(*view)) {
    return;
  }
  StoreBe16(packet.data() + ExtensionHeaderOffset(view->csrc_count()),
            view->extension_profile() == kCryptexTwoByteProfile ? kTwoByteExtensionProfile
                                                                : kOneByteExtensionProfile);
}

void MoveExtensionHeaderForward(absl::Span<uint8_t> packet, size_t csrc_count) {
  const size_t offset = ExtensionHeaderOffset(csrc_count);
  if (packet.size() < offset + kRtpExtensionHeaderSize) {
    return;
  }
  const uint32_t extension_header = LoadBe32(packet.data() + offset);
  CopyBytes(packet.subspan(kRtpFixedHeaderSize + kRtpExtensionHeaderSize),
            packet.subspan(kRtpFixedHeaderSize, 4 * csrc_count));
  StoreBe32(packet.data() + kRtpFixedHeaderSize, extension_header);
}

void MoveExtensionHeaderBack(absl::Span<uint8_t> packet, size_t csrc_count) {
  const size_t offset = ExtensionHeaderOffset(csrc_count);
  if (packet.size() < offset + kRtpExtensionHeaderSize) {
    return;
  }
  const uint32_t extension_header = LoadBe32(packet.data() + kRtpFixedHeaderSize);
  CopyBytes(packet.subspan(kRtpFixedHeaderSize),
            packet.subspan(kRtpFixedHeaderSize + kRtpExtensionHeaderSize, 4 * csrc_count));
  StoreBe32(packet.data() + offset, extension_header);
}

}  // namespace sluice
