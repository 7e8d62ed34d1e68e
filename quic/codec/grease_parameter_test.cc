#include "quic/codec/grease_parameter.h"

#include <cstddef>
#include <cstdint>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "quic/codec/varint.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;

TEST(GreaseParameterTest, ReservedIdsAreEvery31stFrom27) {
  for (const uint64_t id : {uint64_t{27}, uint64_t{58}, uint64_t{89}, uint64_t{7932},
                            31 * ((uint64_t{1} << 57) - 1) + 27}) {
    EXPECT_TRUE(IsReservedParameterId(id)) << id;
    EXPECT_FALSE(IsReservedParameterId(id + 1)) << id;
    EXPECT_FALSE(IsReservedParameterId(id - 1)) << id;
  }
  EXPECT_FALSE(IsReservedParameterId(0));
}

TEST(GreaseParameterTest, DrawsIdsAndValuesOfAllSizes) {
  const uint64_t seed = SeededRandom::SeedFromEnvOr(18);
  SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
  SeededRandom random(seed);
  std::set<size_t> id_sizes;
  std::set<size_t> value_sizes;
  std::set<uint64_t> ids;
  for (int i = 0; i < 2000; ++i) {
    const GreaseParameter grease = GreaseParameter::Draw(random);
    ASSERT_TRUE(IsReservedParameterId(grease.id)) << grease.id;
    ASSERT_TRUE(Varint::From(grease.id).has_value()) << grease.id;
    ASSERT_LE(grease.bytes().size(), 16u);
    ids.insert(grease.id);
    id_sizes.insert(VarintSize(grease.id));
    value_sizes.insert(grease.bytes().size());
  }
  EXPECT_THAT(id_sizes, ElementsAre(1, 2, 4, 8));
  EXPECT_EQ(value_sizes.size(), 17u);
  EXPECT_GT(ids.size(), 1500u);
}

TEST(GreaseParameterTest, DependsOnTheRandomNumbersOnly) {
  SeededRandom a(5);
  SeededRandom b(5);
  SeededRandom other(6);
  EXPECT_EQ(GreaseParameter::Draw(a), GreaseParameter::Draw(b));
  EXPECT_FALSE(GreaseParameter::Draw(a) == GreaseParameter::Draw(other));
}

TEST(GreaseParameterTest, BytesBehindTheValueDoNotCount) {
  GreaseParameter a;
  a.value_size = 2;
  GreaseParameter b = a;
  b.value[2] = 7;
  EXPECT_TRUE(a == b);
  b.value[1] = 7;
  EXPECT_FALSE(a == b);
}

}  // namespace
}  // namespace sluice
