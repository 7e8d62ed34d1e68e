#ifndef TESTS_SIM_REPAIR_SCENARIO_H_
#define TESTS_SIM_REPAIR_SCENARIO_H_

#include <cstdint>
#include <vector>

#include "base/random_source.h"
#include "base/time_delta.h"
#include "interceptor/nack/nack_generator.h"
#include "interceptor/nack/nack_responder.h"
#include "tests/sim/link_emulator.h"
#include "tests/sim/scenario_figure.h"

namespace sluice {

// Video of 2 Mbit/s with NACK and retransmissions at both ends of a path in virtual time, 50 ms
// long each way.
struct RepairScenario {
  static constexpr size_t kPayloadSize = 1000;
  static constexpr TimeDelta kSpacing = TimeDelta::Millis(4);
  static constexpr TimeDelta kOneWay = TimeDelta::Millis(50);
  static constexpr TimeDelta kRoundTrip = TimeDelta::Millis(100);

  LinkOptions forward = {.delay = kOneWay};
  LinkOptions back = {.delay = kOneWay};
  TimeDelta duration = TimeDelta::Seconds(200);
};

// What became of the packets of a scenario.
struct RepairOutcome {
  uint64_t sent = 0;
  // Those that did not come by themselves, and of these: came within three round trips after they
  // should have; came at all.
  uint64_t lost = 0;
  uint64_t recovered_soon = 0;
  uint64_t recovered = 0;
  // The slowest recovery.
  TimeDelta slowest = TimeDelta::Zero();
  // Came more than once out of the receiver.
  uint64_t doubled = 0;
  NackGeneratorCounters generator;
  NackResponderCounters responder;

  // Of those that were lost, in percent; 100 when none was.
  double soon_percent() const;
  double recovered_percent() const;
};

// The same scenario and random numbers give the same outcome.
RepairOutcome RunRepair(const RepairScenario& scenario, RandomSource& random);

// Runs the scenarios that repair is held to.
std::vector<ScenarioFigure> RepairFigures(uint64_t seed);

}  // namespace sluice

#endif  // TESTS_SIM_REPAIR_SCENARIO_H_
