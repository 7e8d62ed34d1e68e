// Rows feedback/<period>: one report about 100 packets, of which every period-th is lost (0: none).
// Row sent: one packet.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "base/check.h"
#include "base/timestamp.h"
#include "benchmark/benchmark.h"
#include "interceptor/bwe/send_side_estimator.h"
#include "interceptor/packet_attributes.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

constexpr int kPackets = 100;
constexpr DataSize kSize = DataSize::Bytes(1200);

std::unique_ptr<SendSideEstimator> MakeEstimator() {
  auto made = SendSideEstimator::Create({});
  SLUICE_CHECK(made.ok());
  return *std::move(made);
}

void CountAllocations(benchmark::State& state, uint64_t allocations) {
  state.counters["allocs"] =
      static_cast<double>(allocations) / static_cast<double>(state.iterations());
}

void BM_Feedback(benchmark::State& state) {
  const std::unique_ptr<SendSideEstimator> estimator = MakeEstimator();
  std::vector<PacketReport> reports;
  for (int i = 0; i < kPackets; ++i) {
    const bool lost = state.range(0) != 0 && i % state.range(0) == 1;
    reports.push_back(
        {.sequence = i,
         .size = kSize,
         .sent = Timestamp::Millis(i),
         .arrived = lost ? Timestamp::PlusInfinity()
                         : Timestamp::Seconds(900) + TimeDelta::Micros(1000 * i + i * 7919 % 900),
         .probe_cluster = 0});
  }
  // A packet each millisecond, a report each 100.
  constexpr TimeDelta kPeriod = TimeDelta::Millis(kPackets);
  Timestamp now = Timestamp::Millis(kPackets);
  uint64_t allocations = 0;
  for (auto _ : state) {
    const uint64_t before = ThreadAllocations();
    benchmark::DoNotOptimize(estimator->OnFeedback({.received = now, .packets = reports}));
    allocations += ThreadAllocations() - before;
    now += kPeriod;
    for (PacketReport& report : reports) {
      report.sequence += kPackets;
      report.sent += kPeriod;
      report.arrived += kPeriod;
    }
  }
  CountAllocations(state, allocations);
}
BENCHMARK(BM_Feedback)->Name("feedback")->Arg(0)->Arg(20);

void BM_Sent(benchmark::State& state) {
  const std::unique_ptr<SendSideEstimator> estimator = MakeEstimator();
  Timestamp now = Timestamp::Seconds(1);
  const uint64_t before = ThreadAllocations();
  for (auto _ : state) {
    now += TimeDelta::Millis(1);
    if (estimator->OnPacketsSent(now, kSize)) {
      benchmark::DoNotOptimize(estimator->AfterSending(now));
    }
  }
  CountAllocations(state, ThreadAllocations() - before);
}
BENCHMARK(BM_Sent)->Name("sent");

}  // namespace
}  // namespace sluice
