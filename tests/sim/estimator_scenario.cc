#include "tests/sim/estimator_scenario.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/data_size.h"
#include "base/testing/seeded_random.h"

namespace sluice {
namespace {

constexpr TimeDelta kTick = TimeDelta::Millis(1);
constexpr int64_t kTicksPerSample = 10;

struct LinkPacket {
  size_t flow;
  MediaFlow::Bytes bytes;
};

constexpr DataRate Kbps(int64_t kbps) { return DataRate::KilobitsPerSec(kbps); }
constexpr Timestamp At(int64_t seconds) { return Timestamp::Seconds(seconds); }

// 1 Mbit/s and 50 ms there and back, with a queue of 300 ms.
Scenario OneMegabit(uint64_t seed) {
  Scenario scenario;
  scenario.seed = seed;
  scenario.link = {.rate = Kbps(1000),
                   .queue = Kbps(1000) * TimeDelta::Millis(300),
                   .delay = TimeDelta::Millis(25)};
  return scenario;
}

double Percent(DataRate part, DataRate whole) {
  return 100.0 * static_cast<double>(part.bps()) / static_cast<double>(whole.bps());
}

double Ms(TimeDelta delta) { return static_cast<double>(delta.us()) / 1000; }

// Since `since`; a day when it never happened.
double SecondsAfter(std::optional<Timestamp> moment, Timestamp since) {
  return moment.has_value() ? static_cast<double>((*moment - since).us()) / 1e6 : 86'400;
}

class Figures {
 public:
  Figures(std::string scenario, std::vector<ScenarioFigure>& to)
      : scenario_(std::move(scenario)), to_(to) {}

  void AtLeast(const std::string& what, double value, const std::string& unit, double bar) {
    to_.push_back({scenario_, what, value, unit});
    to_.back().at_least = bar;
  }
  void AtMost(const std::string& what, double value, const std::string& unit, double bar) {
    to_.push_back({scenario_, what, value, unit});
    to_.back().at_most = bar;
  }
  void Tell(const std::string& what, double value, const std::string& unit) {
    to_.push_back({scenario_, what, value, unit});
  }

 private:
  const std::string scenario_;
  std::vector<ScenarioFigure>& to_;
};

void SteadyLink(uint64_t seed, FlowFeedback feedback, std::vector<ScenarioFigure>& figures) {
  Scenario scenario = OneMegabit(seed);
  scenario.flow.feedback = feedback;
  const RateTrace trace = RunScenario(scenario);
  Figures to(feedback == FlowFeedback::kRfc8888 ? "1 Mbit/s, 50 ms, RFC 8888" : "1 Mbit/s, 50 ms",
             figures);
  to.AtMost("85 % used after", SecondsAfter(trace.ReceivedAtLeast(0, Kbps(850), At(0)), At(0)), "s",
            10);
  to.AtLeast("used, 10 s to the end", Percent(trace.Received(0, At(10), At(60)), Kbps(1000)), "%",
             85);
  to.AtMost("standing queue", Ms(trace.StandingQueue(At(10), At(60))), "ms", 60);
  to.AtMost("mean queue", Ms(trace.MeanQueue(At(10), At(60))), "ms", 60);
  to.Tell("queue, 95th percentile", Ms(trace.QueuePercentile(95, At(10), At(60))), "ms");
}

void Drop(uint64_t seed, std::vector<ScenarioFigure>& figures) {
  Scenario scenario = OneMegabit(seed);
  scenario.steps = {{.at = At(20), .rate = Kbps(300)}, {.at = At(50), .rate = Kbps(1000)}};
  scenario.duration = TimeDelta::Seconds(90);
  const RateTrace trace = RunScenario(scenario);
  Figures to("drop to 300 kbit/s", figures);
  to.AtMost("target below it after", SecondsAfter(trace.TargetAtMost(0, Kbps(300), At(20)), At(20)),
            "s", 2);
  to.Tell("queue below 60 ms after",
          SecondsAfter(trace.QueueAtMost(TimeDelta::Millis(60), At(21)), At(20)), "s");
  to.AtLeast("used, 10 s later on", Percent(trace.Received(0, At(30), At(50)), Kbps(300)), "%", 70);
  to.AtMost("back at 85 % after", SecondsAfter(trace.ReceivedAtLeast(0, Kbps(850), At(50)), At(50)),
            "s", 30);
}

// The second one comes when the first one has all.
void TwoFlows(uint64_t seed, std::vector<ScenarioFigure>& figures) {
  constexpr DataRate kRate = Kbps(2000);
  Scenario scenario = OneMegabit(seed);
  scenario.link.rate = kRate;
  scenario.link.queue = kRate * TimeDelta::Millis(300);
  scenario.flows = {At(0), At(10)};
  scenario.duration = TimeDelta::Seconds(240);
  const RateTrace trace = RunScenario(scenario);
  const DataRate first = trace.Received(0, At(60), At(240));
  const DataRate second = trace.Received(1, At(60), At(240));
  const DataRate fair = DataRate::BitsPerSec((first + second).bps() / 2);
  Figures to("two flows, 2 Mbit/s", figures);
  to.AtMost("away from a fair share, after 60 s", Percent(std::max(first, second) - fair, fair),
            "%", 20);
  to.AtLeast("used together", Percent(first + second, kRate), "%", 85);
  to.AtMost("mean queue", Ms(trace.MeanQueue(At(60), At(240))), "ms", 60);
}

void Loss(uint64_t seed, const std::string& name, const LinkOptions& losses, double bar,
          std::vector<ScenarioFigure>& figures) {
  Scenario scenario = OneMegabit(seed);
  scenario.link.lost_permille = losses.lost_permille;
  scenario.link.burst_loss = losses.burst_loss;
  scenario.link.jitter = losses.jitter;
  scenario.link.jitter_reorders = losses.jitter_reorders;
  scenario.link.reordered_permille = losses.reordered_permille;
  scenario.link.reordered_by = losses.reordered_by;
  scenario.link.duplicated_permille = losses.duplicated_permille;
  const RateTrace trace = RunScenario(scenario);
  Figures to(name, figures);
  to.AtLeast("used, 10 s to the end", Percent(trace.Received(0, At(10), At(60)), Kbps(1000)), "%",
             bar);
  to.Tell("mean queue", Ms(trace.MeanQueue(At(10), At(60))), "ms");
}

void LittleToSend(uint64_t seed, std::vector<ScenarioFigure>& figures) {
  Scenario scenario = OneMegabit(seed);
  scenario.flow.source_limit = Kbps(150);
  const RateTrace trace = RunScenario(scenario);
  Figures to("source of 150 kbit/s", figures);
  to.AtMost("target of the link, at most", Percent(trace.HighestTarget(0, At(10)), Kbps(1000)), "%",
            110);
  to.AtMost("mean queue", Ms(trace.MeanQueue(At(10), At(60))), "ms", 10);
}

}  // namespace

RateTrace RunScenario(const Scenario& scenario) {
  SeededRandom random(scenario.seed);
  LinkEmulator<LinkPacket> link(scenario.link, random);
  std::vector<std::unique_ptr<MediaFlow>> flows;
  for (size_t i = 0; i < scenario.flows.size(); ++i) {
    flows.push_back(std::make_unique<MediaFlow>(scenario.flow, random));
  }
  RateTrace trace;
  size_t next_step = 0;
  const Timestamp end = Timestamp::Zero() + scenario.duration;
  for (Timestamp now = Timestamp::Zero(); now <= end; now += kTick) {
    for (; next_step < scenario.steps.size() && scenario.steps[next_step].at <= now; ++next_step) {
      const ScenarioStep& step = scenario.steps[next_step];
      if (step.rate.has_value()) {
        link.SetRate(now, *step.rate);
      }
      if (step.lost_permille.has_value()) {
        link.SetLoss(*step.lost_permille);
      }
    }
    for (size_t i = 0; i < flows.size(); ++i) {
      if (now < scenario.flows[i]) {
        continue;
      }
      for (MediaFlow::Bytes& bytes : flows[i]->Send(now)) {
        const DataSize size = DataSize::Bytes(static_cast<int64_t>(bytes.size()));
        link.Send(now, size, {i, std::move(bytes)});
      }
    }
    std::vector<std::vector<MediaFlow::Bytes>> arrived(flows.size());
    while (std::optional<LinkPacket> packet = link.Receive(now)) {
      arrived[packet->flow].push_back(std::move(packet->bytes));
    }
    for (size_t i = 0; i < flows.size(); ++i) {
      if (!arrived[i].empty()) {
        flows[i]->Receive(now, arrived[i]);
      }
    }
    if (now.us() / kTick.us() % kTicksPerSample == 0) {
      RateSample sample = {.at = now, .queue = link.QueueDelay(now), .targets = {}, .received = {}};
      for (const std::unique_ptr<MediaFlow>& flow : flows) {
        sample.targets.push_back(flow->target());
        sample.received.push_back(flow->received());
      }
      trace.Add(std::move(sample));
    }
  }
  return trace;
}

std::vector<ScenarioFigure> EstimatorFigures(uint64_t seed) {
  std::vector<ScenarioFigure> figures;
  SteadyLink(seed, FlowFeedback::kTransportWide, figures);
  SteadyLink(seed, FlowFeedback::kRfc8888, figures);
  Drop(seed, figures);
  TwoFlows(seed, figures);
  Loss(seed, "5 % random loss", {.lost_permille = 50}, 75, figures);
  // A twentieth of the time bad, in runs of five.
  Loss(seed, "5 % loss in runs of five",
       {.burst_loss = {.to_bad_permille = 10, .to_good_permille = 200}}, 60, figures);
  Loss(seed, "jitter up to 10 ms", {.jitter = TimeDelta::Millis(10), .jitter_reorders = false}, 80,
       figures);
  Loss(seed, "2 % reordered by 20 ms, 1 % twice",
       {.duplicated_permille = 10, .reordered_permille = 20, .reordered_by = TimeDelta::Millis(20)},
       80, figures);
  LittleToSend(seed, figures);
  return figures;
}

}  // namespace sluice
