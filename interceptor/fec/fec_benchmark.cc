// Parity at memory speed: what ten packets of 1000 bytes cost to add up, beside what it costs to
// copy them; and what a packet costs that passes.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "base/testing/seeded_random.h"
#include "base/timestamp.h"
#include "benchmark/benchmark.h"
#include "interceptor/attributes_arena.h"
#include "interceptor/fec/forward_error_correction.h"
#include "interceptor/fec/parity_sum.h"
#include "interceptor/fec/xor_bytes.h"
#include "interceptor/intercepted_packet.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/stream_info.h"
#include "srtp/packet_arena.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

constexpr size_t kPackets = 10;
constexpr size_t kSize = 1000;
constexpr StreamSlot kSlot(0);

void CountAllocations(benchmark::State& state, uint64_t before) {
  state.counters["allocs"] =
      static_cast<double>(ThreadAllocations() - before) / static_cast<double>(state.iterations());
}
void CountBytes(benchmark::State& state) {
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(kPackets * kSize));
}

std::vector<std::vector<uint8_t>> Payloads() {
  return std::vector<std::vector<uint8_t>>(kPackets, std::vector<uint8_t>(kSize, 3));
}

void BM_Copy(benchmark::State& state) {
  const auto payloads = Payloads();
  std::vector<uint8_t> to(kSize);
  for (auto _ : state) {
    for (const auto& payload : payloads) {
      CopyBytes(absl::MakeSpan(to), payload);
      benchmark::ClobberMemory();
    }
  }
  CountBytes(state);
}
BENCHMARK(BM_Copy)->Name("ten_of_1000/copy");

void BM_Xor(benchmark::State& state) {
  const auto payloads = Payloads();
  std::vector<uint8_t> to(kSize);
  for (auto _ : state) {
    for (const auto& payload : payloads) {
      XorBytes(absl::MakeSpan(to), payload);
      benchmark::ClobberMemory();
    }
  }
  CountBytes(state);
}
BENCHMARK(BM_Xor)->Name("ten_of_1000/xor");

// With the fields of the headers, packets as they are parsed.
void BM_ParitySum(benchmark::State& state) {
  std::vector<std::vector<uint8_t>> packets;
  std::vector<RtpPacketView> views;
  for (size_t i = 0; i < kPackets; ++i) {
    packets.push_back(RtpPacketBuilder().WithPayloadSize(kSize).Build());
  }
  for (const auto& packet : packets) views.push_back(*RtpPacketView::Parse(packet));
  std::vector<uint8_t> storage(kSize);
  const uint64_t before = ThreadAllocations();
  for (auto _ : state) {
    ParitySum sum(absl::MakeSpan(storage));
    for (const RtpPacketView& view : views) {
      benchmark::DoNotOptimize(sum.Add(view, {}));
    }
    benchmark::ClobberMemory();
  }
  CountAllocations(state, before);
  CountBytes(state);
}
BENCHMARK(BM_ParitySum)->Name("ten_of_1000/parity");

StreamInfo Video() {
  StreamInfo info;
  info.ssrc = Ssrc(1);
  info.repair_ssrc = Ssrc(2);
  SLUICE_CHECK(info.AddFormat({.payload_type = PayloadType(96)}));
  SLUICE_CHECK(info.AddFormat(
      {.payload_type = PayloadType(110), .role = PayloadRole::kForwardErrorCorrection}));
  return info;
}

// A leg and ten packets, numbered anew each time.
struct Leg {
  Leg() : out({}, packets, attributes), loans(kPackets) {
    fec->OnStreamAdded(Timestamp::Zero(), PacketDirection::kIncoming, kSlot, Video());
    fec->OnStreamAdded(Timestamp::Zero(), PacketDirection::kOutgoing, kSlot, Video());
    for (PacketLoan& loan : loans) {
      loan = RtpPacketBuilder().WithSsrc(1).WithPayloadSize(kSize).BuildInto(packets);
      rows.push_back(*InterceptedRtp::Of(loan));
      rows.back().stream = kSlot;
    }
  }
  absl::Span<InterceptedRtp> Next() {
    for (PacketLoan& loan : loans) StoreBe16(&loan.bytes()[2], sequence++);
    return absl::MakeSpan(rows);
  }

  PacketArena packets{64};
  AttributesArena attributes{0};
  InterceptorOutbox out;
  SeededRandom random{1};
  std::unique_ptr<ForwardErrorCorrection> fec = *ForwardErrorCorrection::Create({}, random);
  std::vector<PacketLoan> loans;
  std::vector<InterceptedRtp> rows;
  uint16_t sequence = 0;
};

// All that a leg does: ten packets, one parity packet.
void BM_Encode(benchmark::State& state) {
  Leg leg;
  const uint64_t before = ThreadAllocations();
  for (auto _ : state) {
    leg.fec->OnOutgoingRtp(Timestamp::Zero(), leg.Next(), leg.out);
    benchmark::DoNotOptimize(leg.out.sends().data());
    leg.out.EndBatch();
  }
  CountAllocations(state, before);
  CountBytes(state);
  SLUICE_CHECK(leg.fec->encoder_counters().parity_sent ==
               static_cast<uint64_t>(state.iterations()));
}
BENCHMARK(BM_Encode)->Name("ten_of_1000/interceptor_out");

void BM_Receive(benchmark::State& state) {
  Leg leg;
  const uint64_t before = ThreadAllocations();
  for (auto _ : state) {
    leg.fec->OnIncomingRtp(Timestamp::Zero(), leg.Next(), leg.out);
  }
  CountAllocations(state, before);
  CountBytes(state);
}
BENCHMARK(BM_Receive)->Name("ten_of_1000/interceptor_in");

// Nine come, and the parity that recovers the tenth.
void BM_Recover(benchmark::State& state) {
  Leg leg;
  const uint64_t before = ThreadAllocations();
  for (auto _ : state) {
    const absl::Span<InterceptedRtp> rows = leg.Next();
    leg.fec->OnOutgoingRtp(Timestamp::Zero(), rows, leg.out);
    PacketLoan parity = std::move(leg.out.sends()[0].packet);
    leg.out.EndBatch();
    leg.fec->OnIncomingRtp(Timestamp::Zero(), rows.subspan(1), leg.out);
    InterceptedRtp row = *InterceptedRtp::Of(parity);
    row.stream = kSlot;
    row.role = SsrcRole::kForwardErrorCorrection;
    leg.fec->OnIncomingRtp(Timestamp::Zero(), absl::MakeSpan(&row, 1), leg.out);
    leg.out.EndBatch();
  }
  CountAllocations(state, before);
  CountBytes(state);
  SLUICE_CHECK(leg.fec->decoder_counters().recovered == static_cast<uint64_t>(state.iterations()));
}
BENCHMARK(BM_Recover)->Name("ten_of_1000/out_in_and_recovered");

}  // namespace
}  // namespace sluice
