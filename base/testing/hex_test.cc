#include "base/testing/hex.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(HexTest, ReadsEitherCaseWithBlanksAnywhere) {
  EXPECT_THAT(HexBytes("00fF1a"), ElementsAre(0x00, 0xFF, 0x1A));
  EXPECT_THAT(HexBytes(" 80 60\n\t0 1 "), ElementsAre(0x80, 0x60, 0x01));
  EXPECT_THAT(HexBytes(""), IsEmpty());
  EXPECT_THAT(HexBytes("  "), IsEmpty());
}

TEST(HexTest, WhatIsNotHexIsNothing) {
  EXPECT_EQ(ParseHex("0"), std::nullopt);
  EXPECT_EQ(ParseHex("00 1"), std::nullopt);
  EXPECT_EQ(ParseHex("0g"), std::nullopt);
  EXPECT_EQ(ParseHex("0x00"), std::nullopt);
  EXPECT_EQ(ParseHex("00\xC3\xA4"), std::nullopt);
}

TEST(HexDeathTest, ABadLiteralStopsTheTest) { EXPECT_DEATH(HexBytes("0"), "not hex: \"0\""); }

TEST(HexTest, RoundTripsEveryByte) {
  std::vector<uint8_t> all;
  for (int i = 0; i < 256; ++i) all.push_back(static_cast<uint8_t>(i));
  EXPECT_EQ(HexBytes(ToHex(all)), all);
  EXPECT_EQ(ToHex({0x00, 0x0F, 0xF0, 0xAB}), "000ff0ab");
  EXPECT_EQ(ToHex({}), "");
}

}  // namespace
}  // namespace sluice
