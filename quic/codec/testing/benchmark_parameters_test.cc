#include "quic/codec/testing/benchmark_parameters.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "quic/codec/transport_parameter_rules.h"
#include "quic/codec/transport_parameter_table.h"
#include "quic/codec/transport_parameters.h"
#include "quic/codec/transport_parameters_encoder.h"
#include "quic/codec/varint.h"

namespace sluice {
namespace {

TEST(BenchmarkParametersTest, SmallAreGoodAndHave95Bytes) {
  TransportParametersBuffer buffer;
  EXPECT_EQ(FindViolation(SmallParameters(), Endpoint::kServer), std::nullopt);
  EXPECT_EQ(EncodeTransportParameters(SmallParameters(), buffer).size(), 95u);
}

TEST(BenchmarkParametersTest, VariedAreGoodAndHaveNumbersOfAllSizes) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(1);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  std::set<size_t> sizes;
  for (const TransportParameters& parameters : VariedParameters(64, random)) {
    EXPECT_EQ(FindViolation(parameters, Endpoint::kServer), std::nullopt);
    sizes.insert(VarintSize(NumberOf(parameters, RowOf(&EndpointParameters::initial_max_data))));
  }
  EXPECT_EQ(sizes, (std::set<size_t>{1, 2, 4, 8}));
}

}  // namespace
}  // namespace sluice
