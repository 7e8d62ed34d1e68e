#include "tests/e2e/tone.h"

#include <cmath>
#include <numbers>
#include <vector>

#include "gtest/gtest.h"

namespace sluice {
namespace {

std::vector<int16_t> Sine(double frequency, size_t size) {
  std::vector<int16_t> samples;
  for (size_t i = 0; i < size; ++i) {
    samples.push_back(static_cast<int16_t>(
        4000 * std::sin(2 * std::numbers::pi * frequency * static_cast<double>(i) / kSampleRate)));
  }
  return samples;
}

TEST(ToneTest, APureToneIsAllTone) {
  EXPECT_GT(ToneShare(Sine(440, 8000), 440), 0.99);
  EXPECT_GT(ToneShare(Sine(440, 1234), 440), 0.95) << "a length that cuts a period";
}

TEST(ToneTest, OtherTonesNoiseAndSilenceAreNot) {
  EXPECT_LT(ToneShare(Sine(880, 8000), 440), 0.01);
  EXPECT_EQ(ToneShare(std::vector<int16_t>(8000, 0), 440), 0);
  EXPECT_EQ(ToneShare({}, 440), 0);
  std::vector<int16_t> noise;
  uint32_t state = 1;
  for (int i = 0; i < 8000; ++i) {
    state = state * 1664525 + 1013904223;
    noise.push_back(static_cast<int16_t>(state >> 16));
  }
  EXPECT_LT(ToneShare(noise, 440), 0.05);
}

TEST(ToneTest, PeakIsTheLoudestSampleOfEitherSign) {
  EXPECT_EQ(Peak({}), 0);
  EXPECT_EQ(Peak(std::vector<int16_t>{3, -32768, 100}), 32768);
  EXPECT_NEAR(Peak(Sine(440, 8000)), 4000, 5);
}

}  // namespace
}  // namespace sluice
