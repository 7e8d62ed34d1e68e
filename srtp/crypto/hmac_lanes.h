#ifndef SRTP_CRYPTO_HMAC_LANES_H_
#define SRTP_CRYPTO_HMAC_LANES_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "srtp/crypto/cpu_features.h"

namespace sluice {

// HMAC-SHA1 of several packets at once with AVX-512. SHA-1 is a chain of which every link waits for
// the one before; here up to sixteen chains advance together, one in each 32-bit lane of a
// register. Lanes cost the same whether or not they are in use, and as much as the longest packet.
inline constexpr size_t kHmacLanes = 16;
// Up to so many are done in 256-bit registers, in two thirds of the time.
inline constexpr size_t kNarrowHmacLanes = 8;

struct LaneMac {
  // SHA-1 after the block of key XOR ipad, and of key XOR opad: five 32-bit words each, in the
  // CPU's byte order.
  const uint8_t* inner;
  const uint8_t* outer;
  // 1..kMaxMacDataSize bytes.
  const uint8_t* data;
  size_t size;
  // kMacSize bytes are written. Must not overlap any `data`.
  uint8_t* mac;
};

bool CanComputeLaneMacs(const CpuFeatures& features);

// At most kHmacLanes. Only where CanComputeLaneMacs. Which data there is affects no branch and no
// address, only its sizes do. Reads nothing but the data; does not allocate.
void ComputeLaneMacs(absl::Span<const LaneMac> macs);

}  // namespace sluice

#endif  // SRTP_CRYPTO_HMAC_LANES_H_
