#include "quic/codec/testing/parameter_bytes.h"

#include <cstdint>
#include <vector>

#include "base/testing/hex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(ParameterBytesTest, NumbersHaveTheFormThatIsAskedFor) {
  EXPECT_EQ(VarintBytes(37), HexBytes("25"));
  EXPECT_EQ(VarintBytes(37, 2), HexBytes("4025"));
  EXPECT_EQ(VarintBytes(15293), HexBytes("7bbd"));
  EXPECT_EQ(VarintBytes(494878333), HexBytes("9d7f3e7d"));
  EXPECT_EQ(VarintBytes(37, 8), HexBytes("c000000000000025"));
}

TEST(ParameterBytesDeathTest, ANumberThatDoesNotFitStops) {
  EXPECT_DEATH(VarintBytes(64, 1), "does not fit");
  EXPECT_DEATH(VarintBytes(uint64_t{1} << 62), "does not fit");
}

TEST(ParameterBytesTest, ParametersStandOneBehindTheOther) {
  ParameterBytes bytes;
  bytes.Add(0x0c, {}).AddNumber(0x01, 30000).AddNumber(0x2ab3, 1, 2);
  EXPECT_EQ(bytes.bytes(), HexBytes("0c00 0104 80007530 6ab302 4001"));
  bytes.AddWithLength(0x02, 9, HexBytes("aabb")).AddRaw(HexBytes("cc"));
  EXPECT_EQ(bytes.bytes(), HexBytes("0c00 0104 80007530 6ab302 4001 0209aabb cc"));
}

TEST(ParameterBytesTest, WellFormedOnesAreFoundByTheirIds) {
  EXPECT_THAT(ParametersById(HexBytes("0c00 0f02aabb 6ab300")),
              ElementsAre(Pair(0x0c, IsEmpty()), Pair(0x0f, ElementsAre(0xaa, 0xbb)),
                          Pair(0x2ab3, IsEmpty())));
  EXPECT_THAT(ParametersById(HexBytes("0c00 0f03aabb")), IsEmpty());
  EXPECT_THAT(ParametersById(HexBytes("0c00 0f")), IsEmpty());
  EXPECT_THAT(ParametersById(HexBytes("0c00 40")), IsEmpty());
}

}  // namespace
}  // namespace sluice
