#ifndef TESTS_SIM_SCENARIO_FIGURE_H_
#define TESTS_SIM_SCENARIO_FIGURE_H_

#include <limits>
#include <string>

namespace sluice {

// One figure of a simulated scenario and its bar.
struct ScenarioFigure {
  std::string scenario;
  std::string what;
  double value;
  std::string unit;
  // Infinite: there is no bar.
  double at_least = -std::numeric_limits<double>::infinity();
  double at_most = std::numeric_limits<double>::infinity();

  bool ok() const { return value >= at_least && value <= at_most; }
};

}  // namespace sluice

#endif  // TESTS_SIM_SCENARIO_FIGURE_H_
