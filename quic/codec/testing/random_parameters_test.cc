#include "quic/codec/testing/random_parameters.h"

#include <cstdint>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "quic/codec/transport_parameter_rules.h"
#include "quic/codec/transport_parameter_table.h"
#include "quic/codec/transport_parameters.h"
#include "quic/codec/varint.h"

namespace sluice {
namespace {

class RandomParametersTest : public testing::Test {
 protected:
  SeededRandom random_{SeededRandom::SeedFromEnvOr(3)};
  testing::ScopedTrace seed_{__FILE__, __LINE__,
                             absl::StrCat("replay with SLUICE_TEST_SEED=", random_.seed())};
};

TEST_F(RandomParametersTest, AreGoodAndLeaveNothingOut) {
  for (const Endpoint sender : {Endpoint::kClient, Endpoint::kServer}) {
    ParameterSet present = 0;
    ParameterSet absent = 0;
    for (int round = 0; round < 500; ++round) {
      const TransportParameters parameters = RandomParameters(sender, random_);
      ASSERT_EQ(FindViolation(parameters, sender), std::nullopt);
      const ParameterSet here =
          RowsWhere([&](const TransportParameterRow& row) { return IsPresent(parameters, row); });
      present |= here;
      absent |= ~here;
    }
    const ParameterSet allowed = RowsWhere([&](const TransportParameterRow& row) {
      return sender == Endpoint::kServer || !row.server_only;
    });
    EXPECT_EQ(present, allowed);
    EXPECT_EQ(absent & allowed, allowed & ~RequiredOf(sender));
  }
}

TEST_F(RandomParametersTest, TheLongestAreGood) {
  EXPECT_EQ(FindViolation(LongestParameters(random_), Endpoint::kServer), std::nullopt);
}

TEST_F(RandomParametersTest, VarintsAreOfAllSizes) {
  std::set<size_t> sizes;
  for (int i = 0; i < 200; ++i) sizes.insert(VarintSize(RandomVarint(random_)));
  EXPECT_EQ(sizes, (std::set<size_t>{1, 2, 4, 8}));
}

TEST_F(RandomParametersTest, NumbersAreSetInTheUnitOfTheWire) {
  TransportParameters parameters;
  for (const TransportParameterRow& row : kTransportParameterTable) {
    if (!row.is_number()) continue;
    SetNumber(parameters, row, 1234);
    EXPECT_EQ(NumberOf(parameters, row), 1234u) << row.name;
  }
  EXPECT_EQ(parameters.max_ack_delay.ms(), 1234);
}

}  // namespace
}  // namespace sluice
