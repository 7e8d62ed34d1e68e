#include "interceptor/twcc/sequence_extension.h"

namespace sluice {
namespace {

// Of either form, in whole words: one byte of padding behind the one-byte form's element.
constexpr size_t kElementSize = 4;
// Sixteen bits count an extension's words (RFC 3550 section 5.3.1).
constexpr size_t kMaxExtensionWords = 0xFFFF;

bool IsTwoByteForm(uint16_t profile) {
  return (profile & kTwoByteExtensionProfileMask) == kTwoByteExtensionProfile;
}

void StoreElement(uint8_t* to, bool two_byte_form, uint8_t id, TransportSequence sequence) {
  if (two_byte_form) {
    to[0] = id;
    to[1] = kTransportSequenceSize;
    StoreBe16(to + 2, sequence.value());
  } else {
    to[0] = TransportSequenceHead(id);
    StoreBe16(to + 1, sequence.value());
    to[3] = 0;
  }
}

// In front of the elements that are there, so that no padding has to be understood and nothing that
// ends their processing stands in front of it.
WriteSequenceVerdict Insert(PacketLoan& packet, const RtpPacketView& view, uint8_t id,
                            TransportSequence sequence) {
  const bool had_extension = view.has_extension();
  const uint16_t profile = had_extension         ? view.extension_profile()
                           : id <= kMaxOneByteId ? kOneByteExtensionProfile
                                                 : kTwoByteExtensionProfile;
  const bool two_byte_form = IsTwoByteForm(profile);
  if (!two_byte_form && (profile != kOneByteExtensionProfile || id > kMaxOneByteId)) {
    return WriteSequenceVerdict::kUnwritable;
  }
  // All of this is read before anything moves.
  const size_t fixed_size = kRtpFixedHeaderSize + 4 * view.csrc_count();
  const size_t words = view.extension_data().size() / 4 + kElementSize / 4;
  const size_t moved = fixed_size + (had_extension ? kRtpExtensionHeaderSize : 0);
  const size_t grows = kElementSize + (had_extension ? 0 : kRtpExtensionHeaderSize);
  if (words > kMaxExtensionWords || !packet.Prepend(grows)) {
    return WriteSequenceVerdict::kNoRoom;
  }
  const absl::Span<uint8_t> bytes = packet.bytes();
  CopyBytes(bytes, bytes.subspan(grows, moved));
  // X: there is an extension (RFC 3550 section 5.1).
  bytes[0] |= 0x10;
  uint8_t* const extension = bytes.data() + fixed_size;
  StoreBe16(extension, profile);
  StoreBe16(extension + 2, static_cast<uint16_t>(words));
  StoreElement(extension + kRtpExtensionHeaderSize, two_byte_form, id, sequence);
  return WriteSequenceVerdict::kInserted;
}

// The element's data; nothing when it is not there.
std::optional<absl::Span<const uint8_t>> Find(const RtpPacketView& view, uint8_t id) {
  std::optional<absl::Span<const uint8_t>> found;
  view.ForEachExtension([&](uint8_t element, absl::Span<const uint8_t> data) {
    if (element == id && !found.has_value()) {
      found = data;
    }
  });
  return found;
}

}  // namespace

WriteSequenceVerdict WriteAnyTransportSequence(PacketLoan& packet, const RtpPacketView& view,
                                               uint8_t id, TransportSequence sequence) {
  const std::optional<absl::Span<const uint8_t>> element = Find(view, id);
  if (!element.has_value()) {
    return Insert(packet, view, id, sequence);
  }
  if (element->size() != kTransportSequenceSize) {
    return WriteSequenceVerdict::kUnwritable;
  }
  const auto offset = static_cast<size_t>(element->data() - view.bytes().data());
  StoreBe16(packet.bytes().data() + offset, sequence.value());
  return WriteSequenceVerdict::kOverwritten;
}

std::optional<TransportSequence> ReadTransportSequence(const RtpPacketView& view, uint8_t id) {
  if (const size_t front = TransportSequenceInFront(view, id); front != 0) {
    return TransportSequence(LoadBe16(view.bytes().data() + front));
  }
  const std::optional<absl::Span<const uint8_t>> element = Find(view, id);
  if (!element.has_value() || element->size() != kTransportSequenceSize) {
    return std::nullopt;
  }
  return TransportSequence(LoadBe16(element->data()));
}

}  // namespace sluice
