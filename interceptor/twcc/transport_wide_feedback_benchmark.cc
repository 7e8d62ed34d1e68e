// Rows <direction>/<extension>/<batch>: what numbering or recording costs a packet. "overwritten":
// the extension has room for the number; "inserted": the packet has no extension, and gets one.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "base/timestamp.h"
#include "benchmark/benchmark.h"
#include "interceptor/attributes_arena.h"
#include "interceptor/intercepted_packet.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/stream_info.h"
#include "interceptor/twcc/transport_wide_feedback.h"
#include "srtp/packet_arena.h"
#include "srtp/testing/packet_builder.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

constexpr uint8_t kId = 5;
constexpr StreamSlot kSlot(0);

std::unique_ptr<TransportWideFeedback> MakeFeedback() {
  auto made = TransportWideFeedback::Create({});
  SLUICE_CHECK(made.ok());
  StreamInfo info;
  info.feedback.transport_wide = true;
  info.extensions.transport_sequence = kId;
  for (const PacketDirection direction : {PacketDirection::kIncoming, PacketDirection::kOutgoing}) {
    (*made)->OnStreamAdded(Timestamp::Zero(), direction, kSlot, info);
  }
  return *std::move(made);
}

struct Batch {
  Batch(size_t size, bool with_extension)
      : packets(size), attributes(size), out({}, packets, attributes) {
    for (size_t i = 0; i < size; ++i) {
      RtpPacketBuilder builder;
      builder.WithPayloadSize(1000);
      if (with_extension) {
        builder.AddOneByteExtension(3, {{1, 2, 3}}).AddOneByteExtension(kId, {{0, 0}});
      }
      loans.push_back(builder.BuildInto(packets));
    }
    for (PacketLoan& loan : loans) {
      rows.push_back(*InterceptedRtp::Of(loan));
      rows.back().stream = kSlot;
    }
  }

  PacketArena packets;
  AttributesArena attributes;
  InterceptorOutbox out;
  std::vector<PacketLoan> loans;
  std::vector<InterceptedRtp> rows;
};

void CountAllocations(benchmark::State& state, uint64_t allocations) {
  state.counters["allocs_per_packet"] =
      static_cast<double>(allocations) / static_cast<double>(state.iterations());
}

void BM_Outgoing(benchmark::State& state, size_t size, bool overwritten) {
  const std::unique_ptr<TransportWideFeedback> feedback = MakeFeedback();
  Batch batch(size, overwritten);
  // What each packet was before.
  const std::vector<InterceptedRtp> rows = batch.rows;
  uint64_t allocations = 0;
  while (state.KeepRunningBatch(static_cast<int64_t>(size))) {
    const uint64_t before = ThreadAllocations();
    feedback->OnOutgoingRtp(Timestamp::Seconds(1), absl::MakeSpan(batch.rows), batch.out);
    if (!overwritten) {
      for (size_t i = 0; i < size; ++i) {
        SLUICE_CHECK(batch.loans[i].TrimFront(8));
        batch.loans[i].bytes()[0] = 0x80;
        batch.rows[i].view = rows[i].view;
      }
    }
    allocations += ThreadAllocations() - before;
  }
  SLUICE_CHECK(feedback->counters().numbered > 0);
  CountAllocations(state, allocations);
}

void BM_Incoming(benchmark::State& state, size_t size) {
  const std::unique_ptr<TransportWideFeedback> feedback = MakeFeedback();
  Batch batch(size, true);
  uint64_t allocations = 0;
  uint16_t sequence = 0;
  Timestamp now = Timestamp::Seconds(1);
  while (state.KeepRunningBatch(static_cast<int64_t>(size))) {
    for (PacketLoan& loan : batch.loans) {
      // Behind the fixed header, the extension's own, and the other element.
      StoreBe16(loan.bytes().data() + 12 + 4 + 4 + 1, sequence++);
    }
    const uint64_t before = ThreadAllocations();
    now += TimeDelta::Millis(5);
    feedback->OnIncomingRtp(now, absl::MakeSpan(batch.rows), batch.out);
    if (feedback->NextTimeout() <= now) {
      feedback->OnTimeout(now, batch.out);
    }
    batch.out.EndBatch();
    allocations += ThreadAllocations() - before;
  }
  SLUICE_CHECK(feedback->arrivals().far() == 0);
  CountAllocations(state, allocations);
}

[[maybe_unused]] const bool registered = [] {
  for (const size_t size : {size_t{1}, size_t{32}}) {
    for (const bool overwritten : {true, false}) {
      const std::string name =
          absl::StrCat("outgoing/", overwritten ? "overwritten" : "inserted", "/", size);
      benchmark::RegisterBenchmark(name.c_str(), BM_Outgoing, size, overwritten);
    }
    benchmark::RegisterBenchmark(absl::StrCat("incoming/", size).c_str(), BM_Incoming, size);
  }
  return true;
}();

}  // namespace
}  // namespace sluice
