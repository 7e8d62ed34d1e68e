#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "quic/codec/grease_parameter.h"
#include "quic/codec/parameter_shuffle.h"
#include "quic/codec/testing/random_parameters.h"
#include "quic/codec/transport_parameter_error.h"
#include "quic/codec/transport_parameter_rules.h"
#include "quic/codec/transport_parameters.h"
#include "quic/codec/transport_parameters_decoder.h"
#include "quic/codec/transport_parameters_encoder.h"
#include "quic/codec/transport_parameters_template.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

// All that happens for one connection, with good bytes and with bad ones.
TEST(TransportParametersZeroAllocTest, NothingIsAllocatedForAConnection) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(21);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  TransportParametersBuffer buffer;
  TransportParameterError error;
  size_t bytes = 0;
  size_t accepted = 0;
  size_t refused = 0;
  const auto decode = [&](absl::Span<const uint8_t> block, Endpoint sender) {
    if (DecodeTransportParameters(block, sender, error).has_value()) {
      ++accepted;
    } else {
      ++refused;
    }
  };

  for (int round = 0; round < 2000; ++round) {
    TransportParameters parameters =
        round == 0 ? LongestParameters(random) : RandomParameters(Endpoint::kServer, random);
    const TransportParametersTemplate of_listener =
        *TransportParametersTemplate::Create(parameters);

    const uint64_t before = ThreadAllocations();
    parameters.grease = GreaseParameter::Draw(random);
    const absl::Span<uint8_t> block = EncodeTransportParameters(parameters, buffer);
    bytes += block.size();
    ShuffleParameters(block, random);
    decode(block, Endpoint::kServer);
    decode(block, Endpoint::kClient);
    for (size_t cut = 0; cut < block.size(); cut += 7) decode(block.first(cut), Endpoint::kServer);
    block[random.Below(block.size())] ^= 0x41;
    decode(block, Endpoint::kServer);
    bytes += of_listener.Encode(parameters, buffer).size();
    const absl::Span<const uint8_t> ticket = EncodeRememberedParameters(parameters, buffer);
    accepted += DecodeRememberedParameters(ticket, error).has_value() ? 1 : 0;
    refused += FindViolation(parameters, Endpoint::kClient).has_value() ? 1 : 0;
    const uint64_t allocations = ThreadAllocations() - before;

    ASSERT_EQ(allocations, 0u);
  }
  EXPECT_GT(bytes, 100000u);
  EXPECT_GT(accepted, 3000u);
  EXPECT_GT(refused, 3000u);
}

}  // namespace
}  // namespace sluice
