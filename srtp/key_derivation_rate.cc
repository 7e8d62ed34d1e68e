#include "srtp/key_derivation_rate.h"

#include <bit>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace sluice {

absl::StatusOr<KeyDerivationRate> KeyDerivationRate::Create(uint64_t packets) {
  if (packets == 0) {
    return KeyDerivationRate();
  }
  if (!std::has_single_bit(packets) || packets > kMaxPackets) {
    return absl::InvalidArgumentError(absl::StrCat(
        "key derivation rate is ", packets, ", must be 0 or a power of two 1..", kMaxPackets));
  }
  return KeyDerivationRate(static_cast<uint8_t>(std::countr_zero(packets)));
}

}  // namespace sluice
