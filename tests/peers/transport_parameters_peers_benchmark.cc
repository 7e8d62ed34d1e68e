// Rows <impl>/<operation>/<set>, in one process: ours and ngtcp2 with the same parameters, and the
// same bytes to decode. The time is that of one call, and `allocs` is what one call allocates.
//
//   encode           into a buffer, as an endpoint does it for a connection. Ours, small: what is
//   the
//                    same for all connections of a listener was encoded when the listener was made,
//                    connection ids and token are written each time. Varied: nothing is the same,
//                    and everything is written. ngtcp2 always writes everything.
//   encode_greased   ... with a reserved parameter, whose 24 random bytes are drawn in the row;
//                    ngtcp2 has none
//   encode_whole     ... with everything written each time
//   decode           into a struct, with all checks; those of ngtcp2 that are in its connection
//                    (roles, required parameters, some ranges) are not in its row
//
//   small            95 bytes, always the same
//   varied           the same parameters with numbers of 1, 2, 4 or 8 bytes and ids of 4 to 20 at
//                    random, another set each time

#include <ngtcp2/ngtcp2.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/testing/seeded_random.h"
#include "benchmark/benchmark.h"
#include "quic/codec/grease_parameter.h"
#include "quic/codec/testing/benchmark_parameters.h"
#include "quic/codec/testing/ngtcp2_codec.h"
#include "quic/codec/testing/parameter_bytes.h"
#include "quic/codec/transport_parameter_error.h"
#include "quic/codec/transport_parameters.h"
#include "quic/codec/transport_parameters_decoder.h"
#include "quic/codec/transport_parameters_encoder.h"
#include "quic/codec/transport_parameters_template.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

// More than a branch predictor learns by heart, and still in the second level cache. A power of
// two.
constexpr size_t kVariedSets = 1024;
// Calls between two looks at the counter of allocations, so that these cost nothing.
constexpr size_t kBatch = 1024;

// What both implementations are given.
class Sets {
 public:
  explicit Sets(absl::string_view name) {
    SeededRandom random(1);
    if (name == "small") {
      ours_ = {SmallParameters()};
    } else {
      ours_ = VariedParameters(kVariedSets, random);
    }
    for (const TransportParameters& parameters : ours_) {
      theirs_.push_back(std::make_unique<Ngtcp2Parameters>(parameters));
      blocks_.push_back(EncodeWithNgtcp2(parameters));
      TransportParametersBuffer buffer;
      SLUICE_CHECK(ParametersById(EncodeTransportParameters(parameters, buffer)) ==
                   ParametersById(blocks_.back()));
    }
    SLUICE_CHECK(name != "small" || blocks_[0].size() == 95);
  }

  size_t last() const { return ours_.size() - 1; }
  TransportParameters& ours(size_t i) { return ours_[i]; }
  const ngtcp2_transport_params& theirs(size_t i) const { return theirs_[i]->get(); }
  const std::vector<uint8_t>& block(size_t i) const { return blocks_[i]; }

 private:
  std::vector<TransportParameters> ours_;
  std::vector<std::unique_ptr<Ngtcp2Parameters>> theirs_;
  std::vector<std::vector<uint8_t>> blocks_;
};

// Calls `operation` with the number of each set in turn. It returns whether all went well.
template <typename Operation>
void Run(benchmark::State& state, const Sets& sets, Operation operation) {
  uint64_t allocations = 0;
  size_t good = 0;
  while (state.KeepRunningBatch(kBatch)) {
    const uint64_t before = ThreadAllocations();
    for (size_t i = 0; i < kBatch; ++i) good += operation(i & sets.last()) ? 1 : 0;
    allocations += ThreadAllocations() - before;
  }
  SLUICE_CHECK(good == static_cast<size_t>(state.iterations()));
  state.counters["allocs"] =
      static_cast<double>(allocations) / static_cast<double>(state.iterations());
}

// Ours, of one set of a listener or of many.
class Encoder {
 public:
  Encoder(Sets& sets, absl::string_view set)
      : sets_(sets),
        of_listener_(*TransportParametersTemplate::Create(sets.ours(0))),
        listener_(set == "small") {}

  bool Encode(size_t i) {
    const absl::Span<const uint8_t> block = listener_
                                                ? of_listener_.Encode(sets_.ours(i), buffer_)
                                                : EncodeTransportParameters(sets_.ours(i), buffer_);
    benchmark::ClobberMemory();
    return !block.empty();
  }

 private:
  Sets& sets_;
  const TransportParametersTemplate of_listener_;
  const bool listener_;
  TransportParametersBuffer buffer_;
};

void BM_Encode(benchmark::State& state, absl::string_view set) {
  Sets sets(set);
  Encoder encoder(sets, set);
  Run(state, sets, [&](size_t i) { return encoder.Encode(i); });
}

void BM_EncodeGreased(benchmark::State& state, absl::string_view set) {
  Sets sets(set);
  Encoder encoder(sets, set);
  SeededRandom random(2);
  Run(state, sets, [&](size_t i) {
    sets.ours(i).grease = GreaseParameter::Draw(random);
    return encoder.Encode(i);
  });
}

void BM_EncodeWhole(benchmark::State& state, absl::string_view set) {
  Sets sets(set);
  Encoder encoder(sets, "varied");
  Run(state, sets, [&](size_t i) { return encoder.Encode(i); });
}

void BM_Decode(benchmark::State& state, absl::string_view set) {
  const Sets sets(set);
  TransportParameterError error;
  Run(state, sets, [&](size_t i) {
    const auto parameters = DecodeTransportParameters(sets.block(i), Endpoint::kServer, error);
    benchmark::ClobberMemory();
    return parameters.has_value();
  });
}

void BM_Ngtcp2Encode(benchmark::State& state, absl::string_view set) {
  const Sets sets(set);
  std::array<uint8_t, 512> buffer;
  Run(state, sets, [&](size_t i) {
    const ngtcp2_ssize size =
        ngtcp2_transport_params_encode(buffer.data(), buffer.size(), &sets.theirs(i));
    benchmark::ClobberMemory();
    return size > 0;
  });
}

void BM_Ngtcp2Decode(benchmark::State& state, absl::string_view set) {
  const Sets sets(set);
  Run(state, sets, [&](size_t i) {
    ngtcp2_transport_params params;
    const int result =
        ngtcp2_transport_params_decode(&params, sets.block(i).data(), sets.block(i).size());
    benchmark::DoNotOptimize(params);
    return result == 0;
  });
}

[[maybe_unused]] const bool registered = [] {
  struct Row {
    absl::string_view name;
    void (*run)(benchmark::State&, absl::string_view set);
  };
  // Those that are compared stand side by side, so that they run at the same speed of the machine.
  constexpr Row kRows[] = {
      {"ngtcp2/encode", BM_Ngtcp2Encode},          {"sluice/encode", BM_Encode},
      {"sluice/encode_greased", BM_EncodeGreased}, {"sluice/encode_whole", BM_EncodeWhole},
      {"ngtcp2/decode", BM_Ngtcp2Decode},          {"sluice/decode", BM_Decode},
  };
  for (const absl::string_view set : {"small", "varied"}) {
    for (const Row& row : kRows) {
      benchmark::RegisterBenchmark(absl::StrCat(row.name, "/", set).c_str(), row.run, set);
    }
  }
  return true;
}();

}  // namespace
}  // namespace sluice
