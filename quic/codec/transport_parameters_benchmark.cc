// Rows <operation>/<set>; the sets are SmallParameters, and VariedParameters, another one each
// time. The time is that of one call.
//
//   encode             all of TransportParameters
//   encode_greased     ... with a reserved parameter, whose 24 random bytes are drawn in the row
//   encode_template    what is the same for all connections was encoded before
//   encode_remembered  what goes into a ticket
//   encode_shuffled    as encode_greased, and then into random order
//   decode             what encode wrote, with all checks
//   read_varint        one integer

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/testing/seeded_random.h"
#include "benchmark/benchmark.h"
#include "quic/codec/grease_parameter.h"
#include "quic/codec/parameter_shuffle.h"
#include "quic/codec/testing/benchmark_parameters.h"
#include "quic/codec/testing/parameter_bytes.h"
#include "quic/codec/testing/random_parameters.h"
#include "quic/codec/transport_parameter_error.h"
#include "quic/codec/transport_parameters.h"
#include "quic/codec/transport_parameters_decoder.h"
#include "quic/codec/transport_parameters_encoder.h"
#include "quic/codec/transport_parameters_template.h"
#include "quic/codec/varint.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

// More than a branch predictor learns by heart, and still in the second level cache. A power of
// two.
constexpr size_t kSets = 1024;

std::vector<TransportParameters> MakeSets(absl::string_view name) {
  if (name == "small") return {SmallParameters()};
  SeededRandom random(1);
  return VariedParameters(kSets, random);
}

// Calls `operation` with the number of each of `count` sets in turn; counts what it allocates.
template <typename Operation>
void Run(benchmark::State& state, size_t count, Operation operation) {
  const size_t last = count - 1;  // All ones in binary.
  uint64_t allocations = 0;
  while (state.KeepRunningBatch(kSets)) {
    const uint64_t before = ThreadAllocations();
    for (size_t i = 0; i < kSets; ++i) operation(i & last);
    allocations += ThreadAllocations() - before;
  }
  state.counters["allocs"] =
      static_cast<double>(allocations) / static_cast<double>(state.iterations());
}

void BM_Encode(benchmark::State& state, absl::string_view set) {
  const std::vector<TransportParameters> sets = MakeSets(set);
  TransportParametersBuffer buffer;
  Run(state, sets.size(), [&](size_t i) {
    benchmark::DoNotOptimize(EncodeTransportParameters(sets[i], buffer).size());
  });
}

void BM_EncodeGreased(benchmark::State& state, absl::string_view set, bool shuffled) {
  std::vector<TransportParameters> sets = MakeSets(set);
  TransportParametersBuffer buffer;
  SeededRandom random(2);
  Run(state, sets.size(), [&](size_t i) {
    sets[i].grease = GreaseParameter::Draw(random);
    const absl::Span<uint8_t> block = EncodeTransportParameters(sets[i], buffer);
    if (shuffled) ShuffleParameters(block, random);
    benchmark::DoNotOptimize(block.size());
  });
}

void BM_EncodeTemplate(benchmark::State& state, absl::string_view set) {
  const std::vector<TransportParameters> sets = MakeSets(set);
  const TransportParametersTemplate of_listener = *TransportParametersTemplate::Create(sets[0]);
  TransportParametersBuffer buffer;
  Run(state, sets.size(),
      [&](size_t i) { benchmark::DoNotOptimize(of_listener.Encode(sets[i], buffer).size()); });
}

void BM_EncodeRemembered(benchmark::State& state, absl::string_view set) {
  const std::vector<TransportParameters> sets = MakeSets(set);
  TransportParametersBuffer buffer;
  Run(state, sets.size(), [&](size_t i) {
    benchmark::DoNotOptimize(EncodeRememberedParameters(sets[i], buffer).size());
  });
}

void BM_Decode(benchmark::State& state, absl::string_view set) {
  std::vector<std::vector<uint8_t>> blocks;
  for (const TransportParameters& parameters : MakeSets(set)) {
    TransportParametersBuffer buffer;
    const absl::Span<const uint8_t> block = EncodeTransportParameters(parameters, buffer);
    blocks.emplace_back(block.begin(), block.end());
  }
  TransportParameterError error;
  size_t accepted = 0;
  Run(state, blocks.size(), [&](size_t i) {
    accepted += DecodeTransportParameters(blocks[i], Endpoint::kServer, error).has_value() ? 1 : 0;
  });
  SLUICE_CHECK(accepted == static_cast<size_t>(state.iterations()));
}

void BM_ReadVarint(benchmark::State& state) {
  SeededRandom random(3);
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < kSets; ++i) {
    const std::vector<uint8_t> one = VarintBytes(RandomVarint(random));
    bytes.insert(bytes.end(), one.begin(), one.end());
  }
  absl::Span<const uint8_t> rest;
  Run(state, 1, [&](size_t) {
    if (rest.empty()) rest = bytes;
    uint64_t value = 0;
    benchmark::DoNotOptimize(ReadVarint(rest, value));
    benchmark::DoNotOptimize(value);
  });
}

[[maybe_unused]] const bool registered = [] {
  for (const absl::string_view set : {"small", "varied"}) {
    const auto name = [set](absl::string_view operation) {
      return absl::StrCat(operation, "/", set);
    };
    benchmark::RegisterBenchmark(name("encode").c_str(), BM_Encode, set);
    benchmark::RegisterBenchmark(name("encode_greased").c_str(), BM_EncodeGreased, set, false);
    benchmark::RegisterBenchmark(name("encode_template").c_str(), BM_EncodeTemplate, set);
    benchmark::RegisterBenchmark(name("encode_remembered").c_str(), BM_EncodeRemembered, set);
    benchmark::RegisterBenchmark(name("encode_shuffled").c_str(), BM_EncodeGreased, set, true);
    benchmark::RegisterBenchmark(name("decode").c_str(), BM_Decode, set);
  }
  benchmark::RegisterBenchmark("read_varint", BM_ReadVarint);
  return true;
}();

}  // namespace
}  // namespace sluice
