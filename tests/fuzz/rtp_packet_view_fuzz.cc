// Any bytes as an RTP packet. Nothing is read outside of them, and the parts add up.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "base/check.h"
#include "srtp/rtp_packet_view.h"

namespace sluice {
namespace {

// Reads every byte, for AddressSanitizer.
void Touch(absl::Span<const uint8_t> bytes) {
  volatile uint8_t sink = 0;
  for (const uint8_t byte : bytes) {
    sink = byte;
  }
  static_cast<void>(sink);
}

void CheckView(const RtpPacketView& view, absl::Span<const uint8_t> packet) {
  SLUICE_CHECK(packet[0] >> 6 == 2);
  SLUICE_CHECK(view.header_size() >= kRtpFixedHeaderSize + 4 * view.csrc_count());
  SLUICE_CHECK(view.header_size() + view.payload().size() == packet.size());
  SLUICE_CHECK(view.payload_without_padding().size() + view.padding_size() ==
               view.payload().size());
  SLUICE_CHECK(view.extension_data().size() % 4 == 0);
  SLUICE_CHECK(view.payload_type().value() <= 127);
  for (size_t i = 0; i < view.csrc_count(); ++i) {
    static_cast<void>(view.csrc(i));
  }
  Touch(view.header());
  Touch(view.payload());

  const absl::Span<const uint8_t> extension = view.extension_data();
  // Elements come in order and do not overlap.
  const uint8_t* end_of_last = extension.data();
  view.ForEachExtension([&](uint8_t id, absl::Span<const uint8_t> data) {
    SLUICE_CHECK(id != 0);
    if (view.extension_profile() == kOneByteExtensionProfile) {
      SLUICE_CHECK(id <= 14 && !data.empty() && data.size() <= 16);
    }
    SLUICE_CHECK(data.data() > end_of_last);
    end_of_last = data.data() + data.size();
    SLUICE_CHECK(end_of_last <= extension.data() + extension.size());
    Touch(data);
  });
}

}  // namespace
}  // namespace sluice

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::Span<const uint8_t> packet(data, size);
  const std::optional<sluice::RtpPacketView> header = sluice::RtpPacketView::ParseHeader(packet);
  const std::optional<sluice::RtpPacketView> whole = sluice::RtpPacketView::Parse(packet);
  if (header.has_value()) {
    SLUICE_CHECK(header->padding_size() == 0);
    SLUICE_CHECK(whole.has_value() || header->has_padding());
    sluice::CheckView(*header, packet);
  }
  if (whole.has_value()) {
    SLUICE_CHECK(header.has_value());
    SLUICE_CHECK((whole->padding_size() > 0) == whole->has_padding());
    sluice::CheckView(*whole, packet);
  }
  return 0;
}
