// Rows incoming, outgoing: one packet of a batch of 32 through the interceptor's hook. Row
// snapshot: the figures of one stream, asked for by its place.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "base/check.h"
#include "base/timestamp.h"
#include "benchmark/benchmark.h"
#include "interceptor/attributes_arena.h"
#include "interceptor/intercepted_packet.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/stats/rtp_stats.h"
#include "interceptor/stats/rtp_stream_stats.h"
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

StreamInfo Stream() {
  StreamInfo info;
  SLUICE_CHECK(info.AddFormat({.payload_type = PayloadType(96)}));
  return info;
}

template <PacketDirection kDirection>
void BM_Packet(benchmark::State& state) {
  PacketArena packets(kBatch);
  AttributesArena attributes(16);
  InterceptorOutbox out({}, packets, attributes);
  const std::unique_ptr<RtpStreamStats> stats = *RtpStreamStats::Create({});
  stats->OnStreamAdded(Timestamp::Zero(), kDirection, kSlot, Stream());
  std::vector<PacketLoan> loans(kBatch);
  std::vector<InterceptedRtp> rows;
  for (PacketLoan& loan : loans) {
    loan = RtpPacketBuilder().WithPayloadSize(1000).BuildInto(packets);
    rows.push_back(*InterceptedRtp::Of(loan));
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
      stats->OnIncomingRtp(now, absl::MakeSpan(rows), out);
    } else {
      stats->OnOutgoingRtp(now, absl::MakeSpan(rows), out);
    }
  }
  CountAllocations(state, before);
}
BENCHMARK(BM_Packet<PacketDirection::kIncoming>)->Name("incoming");
BENCHMARK(BM_Packet<PacketDirection::kOutgoing>)->Name("outgoing");

void BM_Snapshot(benchmark::State& state) {
  const std::unique_ptr<RtpStreamStats> stats = *RtpStreamStats::Create({});
  stats->OnStreamAdded(Timestamp::Zero(), PacketDirection::kIncoming, kSlot, Stream());
  const uint64_t before = ThreadAllocations();
  for (auto _ : state) {
    std::optional<InboundRtpStats> snapshot = stats->InboundSnapshot(kSlot);
    benchmark::DoNotOptimize(snapshot);
  }
  CountAllocations(state, before);
}
BENCHMARK(BM_Snapshot)->Name("snapshot");

}  // namespace
}  // namespace sluice
