#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "benchmark/benchmark.h"
#include "srtp/replay_window.h"

namespace sluice {
namespace {

// Argument of all rows: the window's size. One item is one packet.
std::vector<uint64_t> WordsFor(const benchmark::State& state) {
  return std::vector<uint64_t>(ReplayWindow::WordCount(static_cast<size_t>(state.range(0))));
}

void BM_CheckAcceptInOrder(benchmark::State& state) {
  std::vector<uint64_t> words = WordsFor(state);
  ReplayWindow window(absl::MakeSpan(words));
  uint64_t index = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(window.Accept(window.Check(index++)));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_CheckAcceptInOrder)->Arg(64)->Arg(1024)->Arg(32768);

// Pairs arrive swapped: 1 0 3 2 5 4 ...
void BM_CheckAcceptReordered(benchmark::State& state) {
  std::vector<uint64_t> words = WordsFor(state);
  ReplayWindow window(absl::MakeSpan(words));
  uint64_t index = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(window.Accept(window.Check(index++ ^ 1)));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_CheckAcceptReordered)->Arg(64)->Arg(1024)->Arg(32768);

// A flood of packets seen before: refused by Check alone.
void BM_CheckReplayed(benchmark::State& state) {
  std::vector<uint64_t> words = WordsFor(state);
  ReplayWindow window(absl::MakeSpan(words));
  const uint64_t size = window.size();
  for (uint64_t index = 0; index < size; ++index) {
    if (!window.Accept(window.Check(index))) {
      state.SkipWithError("fresh index refused");
    }
  }
  uint64_t index = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(window.Check(index++ & (size - 1)));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_CheckReplayed)->Arg(1024);

// The costliest packet: each jump clears the whole window.
void BM_CheckAcceptJump(benchmark::State& state) {
  std::vector<uint64_t> words = WordsFor(state);
  ReplayWindow window(absl::MakeSpan(words));
  uint64_t index = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(window.Accept(window.Check(index)));
    index += window.size() + 1;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_CheckAcceptJump)->Arg(64)->Arg(1024)->Arg(32768);

}  // namespace
}  // namespace sluice
