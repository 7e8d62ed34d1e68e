// Rows log/<payload>: a packet of that payload into a ring that is emptied in between. Rows full:
// the ring has no room. Rows encode/<payload>: a record into blocks of the file, which is not the
// worker's work. One item is one packet.

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "base/check.h"
#include "base/timestamp.h"
#include "benchmark/benchmark.h"
#include "interceptor/attributes_arena.h"
#include "interceptor/intercepted_packet.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/packet_log/packet_log.h"
#include "interceptor/packet_log/packet_log_encoder.h"
#include "interceptor/packet_log/packet_log_ring.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/testing/packet_builder.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

constexpr size_t kBatch = 32;

struct Batch {
  explicit Batch(size_t payload) {
    for (PacketLoan& loan : loans) {
      loan = RtpPacketBuilder().WithPayloadSize(payload).BuildInto(packets);
      rows.push_back(*InterceptedRtp::Of(loan));
    }
  }

  PacketArena packets{kBatch};
  AttributesArena attributes{1};
  InterceptorOutbox out{{}, packets, attributes};
  std::vector<PacketLoan> loans{kBatch};
  std::vector<InterceptedRtp> rows;
};

void Log(benchmark::State& state, size_t payload, bool emptied) {
  const std::unique_ptr<PacketLogRing> ring = *PacketLogRing::Create({});
  PacketLog log(*ring);
  Batch batch(payload);
  Timestamp now = Timestamp::Zero();
  uint64_t allocations = 0;
  while (state.KeepRunningBatch(kBatch)) {
    const uint64_t before = ThreadAllocations();
    now += TimeDelta::Millis(1);
    log.OnIncomingRtp(now, absl::MakeSpan(batch.rows), batch.out);
    while (emptied && ring->Front().has_value()) ring->Pop();
    allocations += ThreadAllocations() - before;
  }
  SLUICE_CHECK(!emptied || ring->counters(PacketDirection::kIncoming).dropped == 0);
  state.counters["allocs_per_packet"] =
      static_cast<double>(allocations) / static_cast<double>(state.iterations());
}

void BM_Log(benchmark::State& state) { Log(state, static_cast<size_t>(state.range(0)), true); }
BENCHMARK(BM_Log)->Name("log")->Arg(160)->Arg(1200);

void BM_Full(benchmark::State& state) { Log(state, 1200, false); }
BENCHMARK(BM_Full)->Name("full");

void BM_Encode(benchmark::State& state) {
  const PacketLogEncoder encoder = *PacketLogEncoder::Create({});
  const std::vector<uint8_t> packet =
      RtpPacketBuilder().WithPayloadSize(static_cast<size_t>(state.range(0))).Build();
  std::vector<uint8_t> out(encoder.max_packet_size());
  const PacketLogRecord record = {.time = Timestamp::Zero(),
                                  .direction = PacketDirection::kIncoming,
                                  .kind = PacketKind::kRtp,
                                  .original_size = packet.size(),
                                  .dropped_before = 0,
                                  .bytes = packet};
  for (auto _ : state) {
    benchmark::DoNotOptimize(encoder.WritePacket(record, absl::MakeSpan(out)));
  }
}
BENCHMARK(BM_Encode)->Name("encode")->Arg(160)->Arg(1200);

}  // namespace
}  // namespace sluice
