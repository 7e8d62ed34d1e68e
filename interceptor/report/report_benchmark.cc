// Rows statistics, jitter: one packet in that part alone. Rows reporter/...: one packet of a batch
// of 32 through the interceptor's hook.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "base/check.h"
#include "base/testing/seeded_random.h"
#include "base/timestamp.h"
#include "benchmark/benchmark.h"
#include "interceptor/attributes_arena.h"
#include "interceptor/intercepted_packet.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/report/interarrival_jitter.h"
#include "interceptor/report/reception_statistics.h"
#include "interceptor/report/reporter.h"
#include "interceptor/stream_info.h"
#include "srtp/packet_arena.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

constexpr size_t kBatch = 32;
constexpr StreamSlot kSlot(0);

void CountAllocations(benchmark::State& state, uint64_t before) {
  state.counters["allocs"] =
      static_cast<double>(ThreadAllocations() - before) / static_cast<double>(state.iterations());
}

void BM_Statistics(benchmark::State& state) {
  ReceptionStatistics statistics;
  uint16_t sequence = 0;
  const uint64_t before = ThreadAllocations();
  for (auto _ : state) {
    benchmark::DoNotOptimize(statistics.Record(SequenceNumber(sequence++)));
  }
  CountAllocations(state, before);
}
BENCHMARK(BM_Statistics)->Name("statistics");

void BM_Jitter(benchmark::State& state) {
  InterarrivalJitter jitter;
  int64_t us = 0;
  uint32_t timestamp = 0;
  const uint64_t before = ThreadAllocations();
  for (auto _ : state) {
    jitter.Update(Timestamp::Micros(us += 20'011), RtpTimestamp(timestamp += 960), 48000);
    benchmark::DoNotOptimize(jitter);
  }
  CountAllocations(state, before);
}
BENCHMARK(BM_Jitter)->Name("jitter");

template <PacketDirection kDirection>
void BM_Reporter(benchmark::State& state) {
  SeededRandom random(1);
  PacketArena packets(kBatch);
  AttributesArena attributes(16);
  InterceptorOutbox out({}, packets, attributes);
  const std::unique_ptr<Reporter> reporter = *Reporter::Create({}, random);
  StreamInfo info;
  SLUICE_CHECK(info.AddFormat({.payload_type = PayloadType(96)}));
  reporter->OnStreamAdded(Timestamp::Zero(), kDirection, kSlot, info);
  std::vector<PacketLoan> loans(kBatch);
  std::vector<InterceptedRtp> rows;
  for (size_t i = 0; i < kBatch; ++i) {
    loans[i] = RtpPacketBuilder().WithPayloadSize(1000).BuildInto(packets);
    rows.push_back(*InterceptedRtp::Of(loans[i]));
    rows.back().stream = kSlot;
  }
  uint16_t sequence = 0;
  int64_t ms = 0;
  const uint64_t before = ThreadAllocations();
  while (state.KeepRunningBatch(kBatch)) {
    for (PacketLoan& loan : loans) {
      ++sequence;
      loan.bytes()[2] = static_cast<uint8_t>(sequence >> 8);
      loan.bytes()[3] = static_cast<uint8_t>(sequence);
    }
    const Timestamp now = Timestamp::Millis(++ms);
    if constexpr (kDirection == PacketDirection::kIncoming) {
      reporter->OnIncomingRtp(now, absl::MakeSpan(rows), out);
    } else {
      reporter->OnOutgoingRtp(now, absl::MakeSpan(rows), out);
    }
  }
  CountAllocations(state, before);
}
BENCHMARK(BM_Reporter<PacketDirection::kIncoming>)->Name("reporter/incoming");
BENCHMARK(BM_Reporter<PacketDirection::kOutgoing>)->Name("reporter/outgoing");

}  // namespace
}  // namespace sluice
