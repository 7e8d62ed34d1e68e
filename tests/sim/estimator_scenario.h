#ifndef TESTS_SIM_ESTIMATOR_SCENARIO_H_
#define TESTS_SIM_ESTIMATOR_SCENARIO_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "base/data_rate.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "tests/sim/link_emulator.h"
#include "tests/sim/media_flow.h"
#include "tests/sim/rate_trace.h"
#include "tests/sim/scenario_figure.h"

namespace sluice {

// The link changes.
struct ScenarioStep {
  Timestamp at;
  std::optional<DataRate> rate = std::nullopt;
  std::optional<uint64_t> lost_permille = std::nullopt;
};

// Flows that share a link, and what happens to it. A simulation begins at Timestamp::Zero().
struct Scenario {
  uint64_t seed = 1;
  LinkOptions link = {};
  // When each flow begins.
  std::vector<Timestamp> flows = {Timestamp::Zero()};
  MediaFlowOptions flow = {};
  // In order of time.
  std::vector<ScenarioStep> steps = {};
  TimeDelta duration = TimeDelta::Seconds(60);
};

// A sample each 10 ms. The same scenario gives the same trace.
RateTrace RunScenario(const Scenario& scenario);

// Runs the scenarios that the estimator is held to.
std::vector<ScenarioFigure> EstimatorFigures(uint64_t seed);

}  // namespace sluice

#endif  // TESTS_SIM_ESTIMATOR_SCENARIO_H_
