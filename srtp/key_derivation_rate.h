#ifndef SRTP_KEY_DERIVATION_RATE_H_
#define SRTP_KEY_DERIVATION_RATE_H_

#include <cstdint>

#include "absl/status/statusor.h"

namespace sluice {

// After how many packets the session keys of a master key are derived anew (RFC 3711 sections 3.2.1
// and 4.3.1). Fixed for the life of the master key, and one for SRTP and SRTCP.
class KeyDerivationRate {
 public:
  // RFC 3711 section 3.2.1.
  static constexpr uint64_t kMaxPackets = uint64_t{1} << 24;

  // 0: the keys are derived once.
  constexpr KeyDerivationRate() = default;
  // InvalidArgument unless `packets` is 0 or a power of two up to kMaxPackets. The KDR of SDES is
  // the exponent (RFC 4568 section 6.3.1).
  static absl::StatusOr<KeyDerivationRate> Create(uint64_t packets);

  constexpr uint64_t packets() const { return shift_ == kNever ? 0 : uint64_t{1} << shift_; }

  // r = `index` DIV rate, which is 0 for rate 0 (RFC 3711 section 4.3.1): what DeriveSessionKeys
  // wants. `index` has at most 48 bits; for SRTCP it is the one without the E flag.
  constexpr uint64_t Quotient(uint64_t index) const { return index >> shift_; }

  friend constexpr bool operator==(KeyDerivationRate a, KeyDerivationRate b) {
    return a.shift_ == b.shift_;
  }

 private:
  // No index has a bit so high.
  static constexpr uint8_t kNever = 63;

  explicit constexpr KeyDerivationRate(uint8_t shift) : shift_(shift) {}

  uint8_t shift_ = kNever;
};

}  // namespace sluice

#endif  // SRTP_KEY_DERIVATION_RATE_H_
