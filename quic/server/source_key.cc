#include "quic/server/source_key.h"

#include <algorithm>

namespace sluice {

SourceKey::SourceKey(const UdpAddress& address) {
  bytes_[0] = address.is_v6() ? 6 : 4;
  const auto ip = address.ip();
  std::copy_n(ip.begin(), std::min(ip.size(), kNetworkSize), bytes_.begin() + 1);
}

uint64_t SourceKey::hash() const {
  // Odd, with bits set all over: that a product's high half depends on all of a byte's bits.
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;
  uint64_t mixed = 0;
  for (const uint8_t byte : bytes_) {
    mixed = (mixed ^ byte) * kFactor;
    // A product's low bits depend on low bits only.
    mixed ^= mixed >> 32;
  }
  return mixed;
}

}  // namespace sluice
