#include "quic/codec/parameter_shuffle.h"

#include <cstdint>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/testing/hex.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "quic/codec/testing/parameter_bytes.h"
#include "quic/codec/testing/random_parameters.h"
#include "quic/codec/transport_parameters.h"
#include "quic/codec/transport_parameters_encoder.h"

namespace sluice {
namespace {

class ParameterShuffleTest : public testing::Test {
 protected:
  std::vector<uint8_t> Shuffled(std::vector<uint8_t> block) {
    ShuffleParameters(absl::MakeSpan(block), random_);
    return block;
  }

  SeededRandom random_{SeededRandom::SeedFromEnvOr(6)};
  testing::ScopedTrace seed_{__FILE__, __LINE__,
                             absl::StrCat("replay with SLUICE_TEST_SEED=", random_.seed())};
};

TEST_F(ParameterShuffleTest, EveryOrderOfThreeComesAsOftenAsAnyOther) {
  const std::vector<uint8_t> block = HexBytes("0c00 0a0105 6ab300");
  std::map<std::vector<uint8_t>, int> orders;
  for (int i = 0; i < 6000; ++i) ++orders[Shuffled(block)];
  EXPECT_EQ(orders.size(), 6u);
  for (const auto& [order, times] : orders) {
    EXPECT_GT(times, 800) << ToHex(order);
    EXPECT_LT(times, 1200) << ToHex(order);
  }
}

TEST_F(ParameterShuffleTest, NothingIsLostAndNothingAdded) {
  for (int round = 0; round < 500; ++round) {
    TransportParametersBuffer buffer;
    const TransportParameters parameters =
        round == 0 ? LongestParameters(random_) : RandomParameters(Endpoint::kServer, random_);
    const absl::Span<uint8_t> block = EncodeTransportParameters(parameters, buffer);
    const std::map<uint64_t, std::vector<uint8_t>> before = ParametersById(block);
    ShuffleParameters(block, random_);
    ASSERT_EQ(ParametersById(block), before);
  }
}

TEST_F(ParameterShuffleTest, WhatNoEncoderWroteStaysAsItIs) {
  const std::vector<uint8_t> cut_value = HexBytes("0c00 0a0205");
  const std::vector<uint8_t> cut_length = HexBytes("0c00 0a");
  const std::vector<uint8_t> cut_id = HexBytes("0c00 40");
  std::vector<uint8_t> many;
  for (uint8_t id = 0; id < 60; ++id) many.insert(many.end(), {id, 0});
  std::vector<uint8_t> large = ParameterBytes().Add(27, std::vector<uint8_t>(500)).bytes();
  for (const std::vector<uint8_t>& block : {cut_value, cut_length, cut_id, many, large}) {
    EXPECT_EQ(Shuffled(block), block);
  }
  EXPECT_EQ(Shuffled({}), std::vector<uint8_t>());
}

}  // namespace
}  // namespace sluice
