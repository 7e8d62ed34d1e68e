#include "base/saturating_math.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace sluice::saturating {
namespace {

constexpr int64_t kInf = kPlusInfinity;
constexpr int64_t kNegInf = kMinusInfinity;
constexpr int64_t kLargest = kPlusInfinity - 1;
constexpr int64_t kSmallest = kMinusInfinity + 1;

TEST(SaturatingMathTest, OrdinaryNumbersCountAsUsual) {
  EXPECT_EQ(Add(2, -5), -3);
  EXPECT_EQ(Subtract(2, -5), 7);
  EXPECT_EQ(Multiply(-3, 7), -21);
  EXPECT_EQ(Divide(-7, 2), -3) << "truncates towards zero";
  EXPECT_EQ(MultiplyDivide(7, 10, 4), 17);
  EXPECT_EQ(Negate(5), -5);
}

TEST(SaturatingMathTest, TheLargestFiniteNumbersAreStillFinite) {
  EXPECT_EQ(Add(kLargest - 1, 1), kLargest);
  EXPECT_EQ(Subtract(kSmallest + 1, 1), kSmallest);
  EXPECT_EQ(Negate(kLargest), kSmallest + 1);
  EXPECT_EQ(Subtract(-1, kSmallest), kLargest);
  EXPECT_EQ(Subtract(kSmallest, kSmallest), 0);
  EXPECT_EQ(Multiply(kLargest, -1), kSmallest + 1);
  EXPECT_TRUE(IsFinite(kLargest));
  EXPECT_TRUE(IsFinite(kSmallest));
}

TEST(SaturatingMathTest, WhatDoesNotFitIsInfinite) {
  EXPECT_EQ(Add(kLargest, 1), kInf);
  EXPECT_EQ(Add(kLargest, kLargest), kInf);
  EXPECT_EQ(Add(kSmallest, -1), kNegInf);
  EXPECT_EQ(Subtract(kSmallest, kLargest), kNegInf);
  EXPECT_EQ(Multiply(kLargest, 2), kInf);
  EXPECT_EQ(Multiply(kLargest, -2), kNegInf);
  EXPECT_EQ(Multiply(kSmallest, kSmallest), kInf);
  EXPECT_EQ(MultiplyDivide(kLargest, 3, 2), kInf);
  EXPECT_EQ(MultiplyDivide(kLargest, 3, -2), kNegInf);
}

TEST(SaturatingMathTest, TheProductInTheMiddleMayExceed64Bits) {
  EXPECT_EQ(MultiplyDivide(kLargest, 8'000'000, 8'000'000), kLargest);
  EXPECT_EQ(MultiplyDivide(kSmallest, kLargest, kLargest), kSmallest);
}

TEST(SaturatingMathTest, InfinityStaysInfinite) {
  EXPECT_EQ(Add(kInf, -1), kInf);
  EXPECT_EQ(Add(1, kNegInf), kNegInf);
  EXPECT_EQ(Subtract(kNegInf, kSmallest), kNegInf);
  EXPECT_EQ(Subtract(0, kInf), kNegInf);
  EXPECT_EQ(Subtract(0, kNegInf), kInf);
  EXPECT_EQ(Multiply(kInf, -1), kNegInf);
  EXPECT_EQ(Multiply(kNegInf, kNegInf), kInf);
  EXPECT_EQ(Divide(kInf, -2), kNegInf);
  EXPECT_EQ(Negate(kInf), kNegInf);
  EXPECT_EQ(Negate(kNegInf), kInf);
}

TEST(SaturatingMathTest, WhereInfinitiesMeetTheLeftOneWins) {
  EXPECT_EQ(Add(kInf, kNegInf), kInf);
  EXPECT_EQ(Add(kNegInf, kInf), kNegInf);
  EXPECT_EQ(Subtract(kInf, kInf), kInf);
  EXPECT_EQ(Divide(kNegInf, kInf), kNegInf);
}

TEST(SaturatingMathTest, ZeroNeverTraps) {
  EXPECT_EQ(Multiply(kInf, 0), 0);
  EXPECT_EQ(Multiply(0, kNegInf), 0);
  EXPECT_EQ(Divide(1, 0), kInf);
  EXPECT_EQ(Divide(-1, 0), kNegInf);
  EXPECT_EQ(Divide(0, 0), 0);
  EXPECT_EQ(Divide(kNegInf, 0), kNegInf);
  EXPECT_EQ(Divide(0, kInf), 0);
  EXPECT_EQ(Divide(kLargest, kInf), 0);
}

TEST(SaturatingMathTest, TheOneQuotientThatOverflowsInHardware) {
  EXPECT_EQ(Divide(kNegInf, -1), kInf);
  EXPECT_EQ(Divide(kSmallest, -1), kInf);
  EXPECT_EQ(Negate(kSmallest), kInf);
  EXPECT_EQ(Divide(kSmallest + 1, -1), kLargest);
}

}  // namespace
}  // namespace sluice::saturating
