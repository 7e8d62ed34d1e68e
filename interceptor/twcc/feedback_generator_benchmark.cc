// Rows record/<order>: one packet. Rows record_and_write/<period>: 100 packets, of which every
// period-th is lost (0: none), and the feedback about them.

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/timestamp.h"
#include "benchmark/benchmark.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/twcc/feedback_generator.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

constexpr int64_t kPackets = 100;
constexpr size_t kLog = 2048;
constexpr Ssrc kMedia(2);

// A packet each millisecond, give or take.
Timestamp ArrivalOf(int64_t i) { return Timestamp::Micros(1000 * i + i * 7919 % 900); }

bool IsLost(int64_t i, int64_t period) { return period != 0 && i % period == 1; }

void CountAllocations(benchmark::State& state, uint64_t before) {
  state.counters["allocs"] =
      static_cast<double>(ThreadAllocations() - before) / static_cast<double>(state.iterations());
}

void BM_RecordInOrder(benchmark::State& state) {
  FeedbackGenerator generator(Ssrc(1), kLog);
  int64_t i = 0;
  const uint64_t before = ThreadAllocations();
  for (auto _ : state) {
    benchmark::DoNotOptimize(generator.Record(kMedia, TransportSequence(static_cast<uint16_t>(i)),
                                              Timestamp::Micros(i)));
    ++i;
  }
  CountAllocations(state, before);
}
BENCHMARK(BM_RecordInOrder)->Name("record/in_order");

// Pairs arrive swapped: 1 0 3 2 5 4 ...
void BM_RecordReordered(benchmark::State& state) {
  FeedbackGenerator generator(Ssrc(1), kLog);
  int64_t i = 0;
  const uint64_t before = ThreadAllocations();
  for (auto _ : state) {
    benchmark::DoNotOptimize(generator.Record(
        kMedia, TransportSequence(static_cast<uint16_t>(i ^ 1)), Timestamp::Micros(i)));
    ++i;
  }
  CountAllocations(state, before);
}
BENCHMARK(BM_RecordReordered)->Name("record/reordered");

void BM_RecordAndWrite(benchmark::State& state) {
  FeedbackGenerator generator(Ssrc(1), kLog);
  std::vector<uint8_t> buffer(kMaxRtcpPacketSize);
  int64_t i = 0;
  const uint64_t before = ThreadAllocations();
  for (auto _ : state) {
    for (const int64_t end = i + kPackets; i < end; ++i) {
      if (!IsLost(i, state.range(0))) {
        generator.Record(kMedia, TransportSequence(static_cast<uint16_t>(i)), ArrivalOf(i));
      }
    }
    benchmark::DoNotOptimize(generator.WriteNext(absl::MakeSpan(buffer)));
    benchmark::ClobberMemory();
  }
  CountAllocations(state, before);
}
BENCHMARK(BM_RecordAndWrite)->Name("record_and_write")->Arg(0)->Arg(20)->Arg(2);

}  // namespace
}  // namespace sluice
