// Prints the figures of all scenarios of interceptors and their bars, mean and worst over some
// seeds: the estimator over links, repair over lossy ones. Exit code 1 when one misses its bar.
// Usage: interceptor_figures [seeds], 3 without.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/sim/estimator_scenario.h"
#include "tests/sim/repair_scenario.h"
#include "tests/sim/scenario_figure.h"

namespace sluice {
namespace {

std::string BarOf(const ScenarioFigure& figure) {
  if (std::isfinite(figure.at_least)) {
    return absl::StrCat(">= ", figure.at_least);
  }
  return std::isfinite(figure.at_most) ? absl::StrCat("<= ", figure.at_most) : "";
}

std::vector<ScenarioFigure> FiguresOf(uint64_t seed) {
  std::vector<ScenarioFigure> figures = EstimatorFigures(seed);
  const std::vector<ScenarioFigure> repair = RepairFigures(seed);
  figures.insert(figures.end(), repair.begin(), repair.end());
  return figures;
}

bool Print(int seeds) {
  std::vector<std::vector<ScenarioFigure>> runs;
  for (int seed = 1; seed <= seeds; ++seed) {
    runs.push_back(FiguresOf(static_cast<uint64_t>(seed)));
  }
  bool ok = true;
  std::cout << absl::StreamFormat("%-36s%-38s%10s%10s%10s%5s\n", "scenario", "figure", "mean",
                                  "worst", "bar", "");
  for (size_t i = 0; i < runs[0].size(); ++i) {
    const ScenarioFigure& figure = runs[0][i];
    double sum = 0;
    double worst = figure.value;
    bool all_ok = true;
    for (const std::vector<ScenarioFigure>& run : runs) {
      sum += run[i].value;
      worst = std::isfinite(figure.at_least) ? std::min(worst, run[i].value)
                                             : std::max(worst, run[i].value);
      all_ok = all_ok && run[i].ok();
    }
    ok = ok && all_ok;
    std::cout << absl::StreamFormat("%-36s%-38s%10.1f%10.1f%10s %-3s%s\n", figure.scenario,
                                    figure.what, sum / seeds, worst, BarOf(figure), figure.unit,
                                    all_ok ? "" : " MISSED");
  }
  return ok;
}

}  // namespace
}  // namespace sluice

int main(int argc, char** argv) {
  int seeds = 3;
  if (argc > 2 || (argc == 2 && (!absl::SimpleAtoi(argv[1], &seeds) || seeds < 1))) {
    std::cerr << "usage: interceptor_figures [seeds]\n";
    return EXIT_FAILURE;
  }
  return sluice::Print(seeds) ? EXIT_SUCCESS : EXIT_FAILURE;
}
