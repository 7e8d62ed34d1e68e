// Rows write/<losses> and read/<losses>: one feedback about 100 packets.

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/check.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "benchmark/benchmark.h"
#include "interceptor/rtcp/transport_feedback.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

constexpr int64_t kPackets = 100;

// Every `period`-th packet is lost; 0: none. A packet each millisecond, give or take.
std::vector<TransportArrival> Arrivals(int64_t period) {
  std::vector<TransportArrival> arrivals;
  for (int64_t i = 0; i < kPackets; ++i) {
    if (period == 0 || i % period != 1) {
      arrivals.push_back({i, Timestamp::Millis(1000 + i) + TimeDelta::Micros(i * 7919 % 900)});
    }
  }
  return arrivals;
}

void BM_Write(benchmark::State& state) {
  const std::vector<TransportArrival> arrivals = Arrivals(state.range(0));
  std::vector<uint8_t> buffer(1200);
  size_t written = 0;
  const uint64_t before = ThreadAllocations();
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        WriteTransportFeedback({}, 0, arrivals, absl::MakeSpan(buffer), written));
    benchmark::ClobberMemory();
  }
  state.counters["allocs"] = static_cast<double>(ThreadAllocations() - before);
  SLUICE_CHECK(written == arrivals.size());
}
BENCHMARK(BM_Write)->Name("write")->Arg(0)->Arg(20)->Arg(2);

void BM_Read(benchmark::State& state) {
  std::vector<uint8_t> buffer(1200);
  size_t written = 0;
  buffer.resize(
      WriteTransportFeedback({}, 0, Arrivals(state.range(0)), absl::MakeSpan(buffer), written));
  const uint64_t before = ThreadAllocations();
  for (auto _ : state) {
    int64_t sum = 0;
    const auto feedback = TransportFeedbackView::Parse(buffer);
    feedback->ForEach([&](uint16_t sequence, TimeDelta delta) { sum += sequence + delta.us(); },
                      [&](uint16_t, uint16_t count) { sum += count; });
    benchmark::DoNotOptimize(sum);
  }
  state.counters["allocs"] = static_cast<double>(ThreadAllocations() - before);
}
BENCHMARK(BM_Read)->Name("read")->Arg(0)->Arg(20)->Arg(2);

}  // namespace
}  // namespace sluice
