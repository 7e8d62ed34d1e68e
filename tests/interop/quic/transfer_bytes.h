#ifndef TESTS_INTEROP_QUIC_TRANSFER_BYTES_H_
#define TESTS_INTEROP_QUIC_TRANSFER_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace sluice {

// An odd number with its bits spread.
inline constexpr uint32_t kMix = 0x9E37'79B1;

// The body of `/bytes/<size>`. No two blocks of it are alike, so that one which is missing, moved
// or there twice shows.
inline std::string TransferBytes(size_t size) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) {
    // The bits of the offset, mixed twice so that no step of it repeats in the result.
    uint32_t x = static_cast<uint32_t>(i) * kMix;
    x = (x ^ (x >> 15)) * kMix;
    bytes[i] = static_cast<char>(x >> 24);
  }
  return bytes;
}

}  // namespace sluice

#endif  // TESTS_INTEROP_QUIC_TRANSFER_BYTES_H_
