// Rows in_order, reordered: one packet of speech through the buffer, in and out, a batch each. In
// row reordered each second packet comes behind the one that follows it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "base/timestamp.h"
#include "benchmark/benchmark.h"
#include "interceptor/attributes_arena.h"
#include "interceptor/intercepted_packet.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/jitter/jitter_buffer.h"
#include "interceptor/stream_info.h"
#include "srtp/packet_arena.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

constexpr StreamSlot kSlot(0);
constexpr int64_t kFrameMs = 20;
// At 90 kHz.
constexpr uint32_t kFrameUnits = 1800;

template <bool kReordered>
void BM_Buffer(benchmark::State& state) {
  PacketArena packets(64);
  AttributesArena attributes(16);
  InterceptorOutbox out({}, packets, attributes);
  const std::unique_ptr<JitterBuffer> buffer = *JitterBuffer::Create({});
  StreamInfo info;
  SLUICE_CHECK(info.AddFormat({.payload_type = PayloadType(96)}));
  buffer->OnStreamAdded(Timestamp::Zero(), PacketDirection::kIncoming, kSlot, info);
  const std::vector<uint8_t> bytes = RtpPacketBuilder().WithPayloadSize(160).Build();
  uint32_t n = 0;
  const uint64_t before = ThreadAllocations();
  for (auto _ : state) {
    // 1 0 3 2 5 4 ...
    const uint32_t number = kReordered ? n ^ 1 : n;
    PacketLoan loan = packets.Lend();
    SLUICE_CHECK(loan.Resize(bytes.size()));
    std::copy(bytes.begin(), bytes.end(), loan.bytes().begin());
    StoreBe16(loan.bytes().data() + 2, static_cast<uint16_t>(number));
    StoreBe32(loan.bytes().data() + 4, number * kFrameUnits);
    InterceptedRtp row = *InterceptedRtp::Of(loan);
    row.stream = kSlot;
    const Timestamp now = Timestamp::Millis(kFrameMs * n++);
    buffer->OnTimeout(now, out);
    buffer->OnIncomingRtp(now, absl::MakeSpan(&row, 1), out);
    out.EndBatch();
  }
  state.counters["allocs"] =
      static_cast<double>(ThreadAllocations() - before) / static_cast<double>(state.iterations());
  state.counters["late"] =
      static_cast<double>(buffer->counters().late) / static_cast<double>(state.iterations());
}
BENCHMARK(BM_Buffer<false>)->Name("in_order");
BENCHMARK(BM_Buffer<true>)->Name("reordered");

}  // namespace
}  // namespace sluice
