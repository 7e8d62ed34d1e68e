#include "interceptor/stats/e_model.h"

#include <limits>

#include "gtest/gtest.h"

namespace sluice {
namespace {

double Mos(int64_t delay_ms, double loss) {
  return MeanOpinionScore(
      TransmissionRating({.one_way_delay = TimeDelta::Millis(delay_ms), .loss = loss}));
}

TEST(EModelTest, ScoresAreThoseOfTheAnnex) {
  // ITU-T G.107 annex B, table B.1: R and MOS at the limits of the classes of satisfaction.
  EXPECT_NEAR(MeanOpinionScore(90), 4.34, 0.005);
  EXPECT_NEAR(MeanOpinionScore(80), 4.03, 0.01);
  EXPECT_NEAR(MeanOpinionScore(70), 3.60, 0.005);
  EXPECT_NEAR(MeanOpinionScore(60), 3.10, 0.005);
  EXPECT_NEAR(MeanOpinionScore(50), 2.58, 0.01);
}

TEST(EModelTest, AnUnimpairedCallIsAsGoodAsNarrowbandGets) {
  EXPECT_DOUBLE_EQ(TransmissionRating({}), 93.2);
  EXPECT_NEAR(Mos(0, 0), 4.41, 0.005);
}

TEST(EModelTest, DelayCostsMoreOnceItIsNoticed) {
  EXPECT_NEAR(TransmissionRating({.one_way_delay = TimeDelta::Millis(100)}), 93.2 - 2.4, 1e-9);
  EXPECT_NEAR(TransmissionRating({.one_way_delay = TimeDelta::Millis(400)}),
              93.2 - 9.6 - 0.11 * 222.7, 1e-9);
}

TEST(EModelTest, LossCostsByTheRobustnessOfTheCodec) {
  EXPECT_NEAR(TransmissionRating({.loss = 0.05}), 93.2 - 95 * 5 / 30.1, 1e-9);
  EXPECT_NEAR(TransmissionRating({.loss = 0.05}, {.equipment = 11, .loss_robustness = 19}),
              93.2 - 11 - 84 * 5 / 24.0, 1e-9);
  // In bursts it is worse.
  EXPECT_LT(TransmissionRating({.loss = 0.05, .burst_ratio = 4}),
            TransmissionRating({.loss = 0.05}));
}

TEST(EModelTest, WorseIsNeverBetter) {
  double before = 5;
  for (int64_t delay = 0; delay <= 2000; delay += 50) {
    EXPECT_LE(Mos(delay, 0.01), before);
    before = Mos(delay, 0.01);
  }
  before = 5;
  for (double loss = 0; loss <= 1; loss += 0.02) {
    EXPECT_LE(Mos(50, loss), before);
    before = Mos(50, loss);
  }
}

TEST(EModelTest, WhatIsOutOfRangeCountsAsTheNearest) {
  EXPECT_DOUBLE_EQ(MeanOpinionScore(-1), 1);
  EXPECT_DOUBLE_EQ(MeanOpinionScore(3), 1);
  EXPECT_DOUBLE_EQ(MeanOpinionScore(1000), 4.5);
  EXPECT_DOUBLE_EQ(TransmissionRating({.one_way_delay = TimeDelta::Millis(-5), .loss = -1}), 93.2);
  EXPECT_DOUBLE_EQ(TransmissionRating({.one_way_delay = TimeDelta::PlusInfinity(), .loss = 9}), 0);
  EXPECT_GE(TransmissionRating({.loss = 1}, {.equipment = 1000, .loss_robustness = 0}), 0);
}

}  // namespace
}  // namespace sluice
