#include "interceptor/rtcp/testing/spoilt_packets.h"

#include <memory>

#include "base/byte_order.h"

namespace sluice {
namespace {

void Call(absl::Span<const uint8_t> bytes, absl::FunctionRef<void(absl::Span<const uint8_t>)> f) {
  const auto block = std::make_unique<uint8_t[]>(bytes.size());
  const absl::Span<uint8_t> copy(block.get(), bytes.size());
  CopyBytes(copy, bytes);
  f(copy);
}

}  // namespace

void ForEachSpoiltPacket(absl::Span<const uint8_t> packet,
                         absl::FunctionRef<void(absl::Span<const uint8_t>)> f) {
  const auto owned = std::make_unique<uint8_t[]>(packet.size());
  const absl::Span<uint8_t> bytes(owned.get(), packet.size());
  const auto restore = [&] { CopyBytes(bytes, packet); };

  restore();
  for (size_t size = 0; size < bytes.size(); ++size) {
    Call(bytes.first(size), f);
    if (size >= 4) {
      StoreBe16(bytes.data() + 2, static_cast<uint16_t>(size / 4 - 1));
      Call(bytes.first(size), f);
      restore();
    }
  }
  for (unsigned padding = 0; padding <= 0xFF; ++padding) {
    bytes[0] |= 0x20;
    bytes.back() = static_cast<uint8_t>(padding);
    Call(bytes, f);
    restore();
  }
  for (uint8_t& byte : bytes) {
    for (const uint8_t value : {0x00, 0x01, 0x1F, 0x7F, 0x80, 0x9F, 0xBF, 0xE0, 0xFF}) {
      byte = value;
      Call(bytes, f);
    }
    restore();
  }
}

}  // namespace sluice
