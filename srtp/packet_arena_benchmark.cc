#include <vector>

#include "benchmark/benchmark.h"
#include "srtp/packet_arena.h"

namespace sluice {
namespace {

void BM_LendReturn(benchmark::State& state) {
  PacketArena arena(1024);
  for (auto _ : state) {
    PacketLoan packet = arena.Lend();
    benchmark::DoNotOptimize(packet);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_LendReturn);

// As a worker does: a batch is received, then sent. One item is one packet.
void BM_LendReturnBatch(benchmark::State& state) {
  const auto batch = static_cast<size_t>(state.range(0));
  PacketArena arena(1024);
  std::vector<PacketLoan> packets(batch);
  for (auto _ : state) {
    for (PacketLoan& packet : packets) packet = arena.Lend();
    benchmark::DoNotOptimize(packets.data());
    for (PacketLoan& packet : packets) packet.Return();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_LendReturnBatch)->Arg(64);

void BM_LendExhausted(benchmark::State& state) {
  PacketArena arena(1);
  const PacketLoan taken = arena.Lend();
  for (auto _ : state) {
    PacketLoan packet = arena.Lend();
    benchmark::DoNotOptimize(packet);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_LendExhausted);

void BM_LendCopy(benchmark::State& state) {
  PacketArena arena(2);
  PacketLoan packet = arena.Lend();
  if (!packet.Resize(static_cast<size_t>(state.range(0)))) {
    state.SkipWithError("does not fit");
    return;
  }
  for (auto _ : state) {
    PacketLoan copy = arena.LendCopy(packet);
    benchmark::DoNotOptimize(copy);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_LendCopy)->Arg(100)->Arg(1200)->Arg(1500);

}  // namespace
}  // namespace sluice
