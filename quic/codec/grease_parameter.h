#ifndef QUIC_CODEC_GREASE_PARAMETER_H_
#define QUIC_CODEC_GREASE_PARAMETER_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/random_source.h"

namespace sluice {

// Whether a transport parameter has no meaning and never will: 31 * N + 27 (RFC 9000 section 18.1).
constexpr bool IsReservedParameterId(uint64_t id) { return id % 31 == 27; }

// A reserved parameter with a random id and value, sent so that peers keep ignoring what they do
// not know. A value: 32 bytes.
struct GreaseParameter {
  // As long as any of its neighbours; longer would only fill the handshake.
  static constexpr size_t kMaxValueSize = 16;

  // Ids of all four varint sizes, values of 0 to kMaxValueSize bytes. Takes 24 bytes of `random`.
  static GreaseParameter Draw(RandomSource& random) {
    std::array<uint8_t, kMaxValueSize + 8> bytes;
    random.Fill(absl::MakeSpan(bytes));
    const uint64_t word = LoadBe64(bytes.data() + kMaxValueSize);
    GreaseParameter grease;
    // The highest bits of the word are N, as many as the lowest say; the largest id is
    // 31 * (2^57 - 1) + 27 < 2^62.
    grease.id = 31 * (word >> (7 + word % 64 % 57)) + 27;
    grease.value_size = static_cast<uint8_t>(word / 64 % (kMaxValueSize + 1));
    CopyBytes(absl::MakeSpan(grease.value), absl::MakeConstSpan(bytes).first(kMaxValueSize));
    return grease;
  }

  absl::Span<const uint8_t> bytes() const { return absl::MakeConstSpan(value).first(value_size); }

  friend bool operator==(const GreaseParameter& a, const GreaseParameter& b) {
    return a.id == b.id && a.bytes() == b.bytes();
  }

  // IsReservedParameterId.
  uint64_t id = 27;
  uint8_t value_size = 0;
  // Of which the first value_size count.
  std::array<uint8_t, kMaxValueSize> value{};
};

}  // namespace sluice

#endif  // QUIC_CODEC_GREASE_PARAMETER_H_
