// The estimator with pacer and feedback on both ends, over links in virtual time: each figure meets
// its bar. `bazel run //tests/sim:interceptor_figures` prints them.

#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "tests/sim/estimator_scenario.h"
#include "tests/sim/scenario_figure.h"

namespace sluice {
namespace {

TEST(EstimatorScenariosTest, EveryFigureMeetsItsBar) {
  const uint64_t first_seed = SeededRandom::SeedFromEnvOr(1);
  for (uint64_t seed = first_seed; seed < first_seed + 3; ++seed) {
    SCOPED_TRACE(absl::StrCat("replay with SLUICE_TEST_SEED=", seed));
    for (const ScenarioFigure& figure : EstimatorFigures(seed)) {
      EXPECT_TRUE(figure.ok()) << figure.scenario << ", " << figure.what << ": " << figure.value
                               << " " << figure.unit;
    }
  }
}

TEST(EstimatorScenariosTest, TheSameSeedGivesTheSameFigures) {
  const std::vector<ScenarioFigure> first = EstimatorFigures(7);
  const std::vector<ScenarioFigure> second = EstimatorFigures(7);
  ASSERT_EQ(first.size(), second.size());
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].value, second[i].value) << first[i].scenario << ", " << first[i].what;
  }
}

TEST(EstimatorScenariosTest, AFigureThatMissesItsBarIsNotOk) {
  ScenarioFigure figure = {"", "", 10, ""};
  EXPECT_TRUE(figure.ok());
  figure.at_least = 11;
  EXPECT_FALSE(figure.ok());
  figure.at_least = 10;
  EXPECT_TRUE(figure.ok());
  figure.at_most = 9;
  EXPECT_FALSE(figure.ok());
}

}  // namespace
}  // namespace sluice
