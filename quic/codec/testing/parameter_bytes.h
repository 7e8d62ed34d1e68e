#ifndef QUIC_CODEC_TESTING_PARAMETER_BYTES_H_
#define QUIC_CODEC_TESTING_PARAMETER_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "absl/types/span.h"

namespace sluice {

// Transport parameters put together by hand, right or wrong. Shares no code with the encoder.
class ParameterBytes {
 public:
  // A parameter as it is on the wire.
  ParameterBytes& Add(uint64_t id, absl::Span<const uint8_t> value);
  // ... whose value is a number, in `size` bytes (1, 2, 4 or 8); 0 is the shortest form.
  ParameterBytes& AddNumber(uint64_t id, uint64_t number, size_t size = 0);
  // ... with a length that need not be that of the value.
  ParameterBytes& AddWithLength(uint64_t id, uint64_t length, absl::Span<const uint8_t> value);
  // Anything.
  ParameterBytes& AddRaw(absl::Span<const uint8_t> bytes);

  const std::vector<uint8_t>& bytes() const { return bytes_; }
  operator absl::Span<const uint8_t>() const { return bytes_; }  // As an argument.

 private:
  std::vector<uint8_t> bytes_;
};

// `number` in `size` bytes (RFC 9000 section 16); 0 is the shortest form.
std::vector<uint8_t> VarintBytes(uint64_t number, size_t size = 0);

// The values of well-formed transport parameters by their ids; empty when they are not well-formed.
std::map<uint64_t, std::vector<uint8_t>> ParametersById(absl::Span<const uint8_t> block);

}  // namespace sluice

#endif  // QUIC_CODEC_TESTING_PARAMETER_BYTES_H_
