// Rows log/...: one packet in the receive log alone. Rows generator/...: one packet of a batch of
// 32 through the interceptor's hook. Rows history/<size>: one packet remembered, copy included.
// Rows answer_17/<size>: one NACK that names 17 packets, answered with 17 retransmissions.

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "base/check.h"
#include "base/data_rate.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "benchmark/benchmark.h"
#include "interceptor/attributes_arena.h"
#include "interceptor/intercepted_packet.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/nack/missing_packets.h"
#include "interceptor/nack/nack_generator.h"
#include "interceptor/nack/nack_responder.h"
#include "interceptor/nack/receive_log.h"
#include "interceptor/nack/send_history.h"
#include "interceptor/rtcp/nack.h"
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

StreamInfo Video() {
  StreamInfo info;
  info.ssrc = Ssrc(1);
  info.retransmission_ssrc = Ssrc(2);
  info.feedback.nack = true;
  info.video = true;
  SLUICE_CHECK(info.AddFormat({.payload_type = PayloadType(96)}));
  SLUICE_CHECK(info.AddFormat({.payload_type = PayloadType(97),
                               .role = PayloadRole::kRetransmission,
                               .associated = PayloadType(96)}));
  return info;
}

void BM_LogInOrder(benchmark::State& state) {
  ReceiveLog log(1024, 256);
  uint16_t sequence = 0;
  const uint64_t before = ThreadAllocations();
  for (auto _ : state) {
    benchmark::DoNotOptimize(log.Record(sequence++));
  }
  CountAllocations(state, before);
}
BENCHMARK(BM_LogInOrder)->Name("log/in_order");

// Pairs arrive swapped: 1 0 3 2 5 4 ...
void BM_LogReordered(benchmark::State& state) {
  ReceiveLog log(1024, 256);
  uint16_t sequence = 0;
  const uint64_t before = ThreadAllocations();
  for (auto _ : state) {
    benchmark::DoNotOptimize(log.Record(static_cast<uint16_t>(sequence++ ^ 1)));
  }
  CountAllocations(state, before);
}
BENCHMARK(BM_LogReordered)->Name("log/reordered");

// What one lost packet costs: found missing, asked for, come.
void BM_LogLossAndRepair(benchmark::State& state) {
  ReceiveLog log(1024, 256);
  MissingPackets missing(256, 10);
  uint16_t sequence = 0;
  log.Record(sequence);
  const uint64_t before = ThreadAllocations();
  for (auto _ : state) {
    sequence = static_cast<uint16_t>(sequence + 2);
    const ReceiveRecord record = log.Record(sequence);
    missing.Add(record.missing_from, record.sequence, Timestamp::Zero());
    benchmark::DoNotOptimize(missing.Due(Timestamp::Zero()).size());
    missing.MarkAsked(Timestamp::Zero(), 1, Timestamp::Seconds(1), Timestamp::Seconds(1));
    missing.Remove(log.Record(static_cast<uint16_t>(sequence - 1)).sequence);
  }
  CountAllocations(state, before);
}
BENCHMARK(BM_LogLossAndRepair)->Name("log/loss_and_repair");

// A batch of rows as a chain makes them.
class Batch {
 public:
  Batch() : packets_(kBatch), loans_(kBatch) {
    rows_.reserve(kBatch);
    for (PacketLoan& loan : loans_) {
      loan = RtpPacketBuilder().WithSsrc(1).WithPayloadSize(1000).BuildInto(packets_);
      rows_.push_back(*InterceptedRtp::Of(loan));
      rows_.back().stream = kSlot;
    }
  }

  // Numbers the packets and gives them; one in `lost_period` is left out, none with 0.
  absl::Span<InterceptedRtp> Next(int64_t lost_period) {
    for (PacketLoan& loan : loans_) {
      ++sequence_;
      if (lost_period != 0 && sequence_ % lost_period == 0) {
        ++sequence_;
      }
      loan.bytes()[2] = static_cast<uint8_t>(sequence_ >> 8);
      loan.bytes()[3] = static_cast<uint8_t>(sequence_);
    }
    return absl::MakeSpan(rows_);
  }

 private:
  PacketArena packets_;
  std::vector<PacketLoan> loans_;
  std::vector<InterceptedRtp> rows_;
  int64_t sequence_ = 0;
};

void BM_Generator(benchmark::State& state) {
  PacketArena packets(16);
  AttributesArena attributes(16);
  InterceptorOutbox out({}, packets, attributes);
  const std::unique_ptr<NackGenerator> generator = *NackGenerator::Create({});
  generator->OnStreamAdded(Timestamp::Zero(), PacketDirection::kIncoming, kSlot, Video());
  Batch batch;
  int64_t ms = 0;
  const uint64_t before = ThreadAllocations();
  while (state.KeepRunningBatch(kBatch)) {
    ms += 10;
    generator->OnIncomingRtp(Timestamp::Millis(ms), batch.Next(state.range(0)), out);
    if (generator->NextTimeout() <= Timestamp::Millis(ms)) {
      generator->OnTimeout(Timestamp::Millis(ms), out);
    }
    out.EndBatch();
  }
  CountAllocations(state, before);
}
BENCHMARK(BM_Generator)->Name("generator/lost_one_in")->Arg(0)->Arg(20);

// What numbering the packets of a batch costs: part of the rows above.
void BM_Numbering(benchmark::State& state) {
  Batch batch;
  while (state.KeepRunningBatch(kBatch)) {
    benchmark::DoNotOptimize(batch.Next(0).data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_Numbering)->Name("generator/numbering_alone");

void BM_History(benchmark::State& state) {
  SendHistory history(1024, 2 * 1024 * 1024);
  const std::vector<uint8_t> packet(static_cast<size_t>(state.range(0)), 1);
  uint16_t sequence = 0;
  const uint64_t before = ThreadAllocations();
  for (auto _ : state) {
    benchmark::DoNotOptimize(history.Store(Timestamp::Zero(), kSlot, SequenceNumber(sequence++),
                                           packet, Timestamp::MinusInfinity()));
  }
  CountAllocations(state, before);
}
BENCHMARK(BM_History)->Name("history")->Arg(12)->Arg(200)->Arg(1200);

void BM_Answer(benchmark::State& state) {
  PacketArena packets(64);
  AttributesArena attributes(16);
  InterceptorOutbox out({}, packets, attributes);
  SeededRandom random(1);
  // No limit is to be hit: this is about the work.
  const std::unique_ptr<NackResponder> responder = *NackResponder::Create(
      {.max_age = TimeDelta::PlusInfinity(),
       .budget = {.percent = 100, .minimum = DataRate::KilobitsPerSec(10'000'000)}},
      random);
  responder->OnStreamAdded(Timestamp::Zero(), PacketDirection::kOutgoing, kSlot, Video());
  std::vector<SequenceNumber> numbers;
  for (uint16_t i = 0; i < kMaxNackItemPackets; ++i) {
    PacketLoan loan = RtpPacketBuilder()
                          .WithSsrc(1)
                          .WithSequence(i)
                          .WithPayloadSize(static_cast<size_t>(state.range(0)))
                          .BuildInto(packets);
    InterceptedRtp row = *InterceptedRtp::Of(loan);
    row.stream = kSlot;
    responder->OnOutgoingRtp(Timestamp::Zero(), absl::MakeSpan(&row, 1), out);
    numbers.push_back(SequenceNumber(i));
  }
  PacketLoan nack = packets.Lend();
  SLUICE_CHECK(nack.Resize(16));
  size_t written = 0;
  SLUICE_CHECK(WriteNack(Ssrc(9), Ssrc(1), numbers, nack.bytes(), written) == 16);
  int64_t seconds = 1;
  const uint64_t before = ThreadAllocations();
  for (auto _ : state) {
    InterceptedRtcp row = *InterceptedRtcp::Of(nack);
    responder->OnIncomingRtcp(Timestamp::Seconds(++seconds), absl::MakeSpan(&row, 1), out);
    benchmark::DoNotOptimize(out.sends().data());
    out.EndBatch();
  }
  CountAllocations(state, before);
  SLUICE_CHECK(responder->counters().retransmitted ==
               static_cast<uint64_t>(state.iterations()) * kMaxNackItemPackets);
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(kMaxNackItemPackets) *
                          state.range(0));
}
BENCHMARK(BM_Answer)->Name("answer_17")->Arg(100)->Arg(1200);

}  // namespace
}  // namespace sluice
