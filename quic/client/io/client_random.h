#ifndef QUIC_CLIENT_IO_CLIENT_RANDOM_H_
#define QUIC_CLIENT_IO_CLIENT_RANDOM_H_

#include <cstdint>

#include "absl/types/span.h"
#include "base/random_source.h"

namespace sluice {

// BoringSSL's generator: fit for keys, and the process stops when the system has no entropy. Has no
// state of its own; any thread may use any one.
class ClientRandom : public RandomSource {
 public:
  void Fill(absl::Span<uint8_t> bytes) override;
};

}  // namespace sluice

#endif  // QUIC_CLIENT_IO_CLIENT_RANDOM_H_
