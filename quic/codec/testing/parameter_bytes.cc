#include "quic/codec/testing/parameter_bytes.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "absl/types/span.h"
#include "base/check.h"

namespace sluice {
namespace {

// Cuts a number off the front; false when there is none.
bool TakeVarint(absl::Span<const uint8_t>& rest, uint64_t& number) {
  if (rest.empty() || rest.size() < size_t{1} << (rest[0] / 64)) return false;
  const size_t size = size_t{1} << (rest[0] / 64);
  number = rest[0] % 64;
  for (size_t i = 1; i < size; ++i) number = number * 256 + rest[i];
  rest.remove_prefix(size);
  return true;
}

}  // namespace

std::vector<uint8_t> VarintBytes(uint64_t number, size_t size) {
  const auto holds = [number](size_t bytes) { return number >> (8 * bytes - 2) == 0; };
  if (size == 0) size = holds(1) ? 1 : holds(2) ? 2 : holds(4) ? 4 : 8;
  SLUICE_CHECK(holds(size)) << number << " does not fit into " << size << " bytes";
  std::vector<uint8_t> bytes(size);
  for (size_t i = size; i-- > 0; number /= 256) bytes[i] = static_cast<uint8_t>(number % 256);
  bytes[0] = static_cast<uint8_t>(bytes[0] + (size == 1   ? 0
                                              : size == 2 ? 64
                                              : size == 4 ? 128
                                                          : 192));
  return bytes;
}

ParameterBytes& ParameterBytes::Add(uint64_t id, absl::Span<const uint8_t> value) {
  return AddWithLength(id, value.size(), value);
}

ParameterBytes& ParameterBytes::AddNumber(uint64_t id, uint64_t number, size_t size) {
  return Add(id, VarintBytes(number, size));
}

ParameterBytes& ParameterBytes::AddWithLength(uint64_t id, uint64_t length,
                                              absl::Span<const uint8_t> value) {
  return AddRaw(VarintBytes(id)).AddRaw(VarintBytes(length)).AddRaw(value);
}

ParameterBytes& ParameterBytes::AddRaw(absl::Span<const uint8_t> bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  return *this;
}

std::map<uint64_t, std::vector<uint8_t>> ParametersById(absl::Span<const uint8_t> block) {
  std::map<uint64_t, std::vector<uint8_t>> parameters;
  while (!block.empty()) {
    uint64_t id = 0;
    uint64_t size = 0;
    if (!TakeVarint(block, id) || !TakeVarint(block, size) || size > block.size()) return {};
    parameters[id].assign(block.begin(), block.begin() + static_cast<ptrdiff_t>(size));
    block.remove_prefix(size);
  }
  return parameters;
}

}  // namespace sluice
