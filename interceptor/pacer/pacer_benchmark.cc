// Rows outgoing/<batch>: packets within the pace, which pass. Rows queued/<batch>: packets that
// wait and are sent by the next timeout. One item is one packet.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "base/check.h"
#include "base/testing/seeded_random.h"
#include "base/timestamp.h"
#include "benchmark/benchmark.h"
#include "interceptor/attributes_arena.h"
#include "interceptor/intercepted_packet.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/pacer/pacer.h"
#include "srtp/packet_arena.h"
#include "srtp/testing/packet_builder.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

std::unique_ptr<Pacer> MakePacer(DataRate target) {
  SeededRandom random(1);
  auto pacer = Pacer::Create({.start_target = target}, random);
  SLUICE_CHECK(pacer.ok());
  return *std::move(pacer);
}

std::vector<PacketLoan> Loans(PacketArena& arena, size_t count) {
  std::vector<PacketLoan> loans;
  for (size_t i = 0; i < count; ++i) {
    loans.push_back(RtpPacketBuilder().WithPayloadSize(1000).BuildInto(arena));
  }
  return loans;
}

void BM_Outgoing(benchmark::State& state) {
  const auto batch = static_cast<size_t>(state.range(0));
  // A burst has room for all of it.
  const std::unique_ptr<Pacer> pacer = MakePacer(DataRate::KilobitsPerSec(10'000'000));
  PacketArena packets(batch);
  AttributesArena attributes(batch);
  InterceptorOutbox out({}, packets, attributes);
  std::vector<PacketLoan> loans = Loans(packets, batch);
  std::vector<InterceptedRtp> rows;
  for (PacketLoan& loan : loans) {
    rows.push_back(*InterceptedRtp::Of(loan));
  }
  Timestamp now = Timestamp::Seconds(1);
  uint64_t allocations = 0;
  while (state.KeepRunningBatch(static_cast<int64_t>(batch))) {
    const uint64_t before = ThreadAllocations();
    now += TimeDelta::Millis(10);
    pacer->OnOutgoingRtp(now, absl::MakeSpan(rows), out);
    out.EndBatch();
    allocations += ThreadAllocations() - before;
  }
  SLUICE_CHECK(pacer->counters().queued == 0);
  state.counters["allocs_per_packet"] =
      static_cast<double>(allocations) / static_cast<double>(state.iterations());
}
BENCHMARK(BM_Outgoing)->Name("outgoing")->Arg(1)->Arg(32);

void BM_Queued(benchmark::State& state) {
  const auto batch = static_cast<size_t>(state.range(0));
  const std::unique_ptr<Pacer> pacer = MakePacer(DataRate::KilobitsPerSec(1'000'000));
  PacketArena packets(batch + 1);
  AttributesArena attributes(batch);
  InterceptorOutbox out({}, packets, attributes);
  std::vector<PacketLoan> loans = Loans(packets, batch);
  std::vector<InterceptedRtp> rows;
  for (PacketLoan& loan : loans) {
    rows.push_back(*InterceptedRtp::Of(loan));
  }
  // Occupies the line: more than a burst has room for.
  std::vector<PacketLoan> first = Loans(packets, 1);
  Timestamp now = Timestamp::Seconds(1);
  uint64_t allocations = 0;
  while (state.KeepRunningBatch(static_cast<int64_t>(batch))) {
    const uint64_t before = ThreadAllocations();
    now += TimeDelta::Millis(10);
    InterceptedRtp opener = *InterceptedRtp::Of(first[0]);
    pacer->OnOutgoingRtp(now, absl::MakeSpan(&opener, 1), out);
    pacer->OnOutgoingRtp(now + TimeDelta::Micros(1), absl::MakeSpan(rows), out);
    pacer->OnTimeout(now + TimeDelta::Millis(5), out);
    for (size_t i = 0; i < batch; ++i) {
      loans[i] = std::move(out.sends()[i].packet);
    }
    out.EndBatch();
    allocations += ThreadAllocations() - before;
  }
  SLUICE_CHECK(pacer->queued_packets() == 0);
  state.counters["allocs_per_packet"] =
      static_cast<double>(allocations) / static_cast<double>(state.iterations());
}
BENCHMARK(BM_Queued)->Name("queued")->Arg(1)->Arg(32);

}  // namespace
}  // namespace sluice
