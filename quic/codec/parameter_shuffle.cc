#include "quic/codec/parameter_shuffle.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/random_source.h"
#include "quic/codec/transport_parameter_table.h"
#include "quic/codec/transport_parameters_encoder.h"
#include "quic/codec/varint.h"

namespace sluice {
namespace {

// Every row, and a reserved one.
constexpr size_t kMaxParameters = kTransportParameterCount + 1;

// Cuts the first parameter off `rest`. Empty when `rest` does not begin with one.
absl::Span<const uint8_t> NextParameter(absl::Span<const uint8_t>& rest) {
  absl::Span<const uint8_t> behind = rest;
  uint64_t id = 0;
  uint64_t size = 0;
  if (!ReadVarint(behind, id) || !ReadVarint(behind, size) || size > behind.size()) return {};
  behind.remove_prefix(size);
  const absl::Span<const uint8_t> parameter = rest.first(rest.size() - behind.size());
  rest = behind;
  return parameter;
}

}  // namespace

void ShuffleParameters(absl::Span<uint8_t> block, RandomSource& random) {
  TransportParametersBuffer copy;
  if (block.size() > copy.size()) return;
  CopyBytes(absl::MakeSpan(copy), block);
  absl::Span<const uint8_t> rest = absl::MakeConstSpan(copy).first(block.size());

  std::array<absl::Span<const uint8_t>, kMaxParameters> parameters;
  size_t count = 0;
  while (!rest.empty()) {
    if (count == parameters.size()) return;
    parameters[count] = NextParameter(rest);
    if (parameters[count].empty()) return;
    ++count;
  }

  // Fisher and Yates: each place gets one of those that are left.
  for (size_t left = count; left > 0; --left) {
    const size_t chosen = random.Below(left);
    CopyBytes(block, parameters[chosen]);
    block.remove_prefix(parameters[chosen].size());
    parameters[chosen] = parameters[left - 1];
  }
}

}  // namespace sluice
