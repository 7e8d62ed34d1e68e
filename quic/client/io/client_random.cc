#include "quic/client/io/client_random.h"

#include <openssl/rand.h>

#include <cstdint>

#include "absl/types/span.h"
#include "base/check.h"

namespace sluice {

void ClientRandom::Fill(absl::Span<uint8_t> bytes) {
  SLUICE_CHECK(RAND_bytes(bytes.data(), bytes.size()) == 1);
}

}  // namespace sluice
