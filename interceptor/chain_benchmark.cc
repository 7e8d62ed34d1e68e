// Rows <chain>/<direction>/<attributes>/<batch>: what a chain costs per packet beside what its
// interceptors do. A pass-through interceptor is called and leaves the batch as it is; a reader
// looks at every packet's header and at a fact. With attributes set, each packet comes with an
// object and a fact in it, which is part of the time.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/timestamp.h"
#include "benchmark/benchmark.h"
#include "interceptor/attributes_arena.h"
#include "interceptor/chain.h"
#include "interceptor/intercepted_packet.h"
#include "interceptor/interceptor.h"
#include "interceptor/interceptor_kind.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/packet_attributes.h"
#include "interceptor/stream_info.h"
#include "srtp/packet_arena.h"
#include "srtp/testing/packet_builder.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

constexpr Timestamp kNow = Timestamp::Seconds(1);
constexpr Ssrc kSsrc(0x1234);

class PassThrough : public Interceptor {
 public:
  explicit PassThrough(InterceptorKind kind) : kind_(kind) {}
  InterceptorKind kind() const override { return kind_; }
  InterceptorHooks hooks() const override { return {.incoming_rtp = true, .outgoing_rtp = true}; }
  void OnIncomingRtp(Timestamp, absl::Span<InterceptedRtp> packets, InterceptorOutbox&) override {
    benchmark::DoNotOptimize(packets.data());
  }
  void OnOutgoingRtp(Timestamp, absl::Span<InterceptedRtp> packets, InterceptorOutbox&) override {
    benchmark::DoNotOptimize(packets.data());
  }

 private:
  const InterceptorKind kind_;
};

class Reader : public PassThrough {
 public:
  using PassThrough::PassThrough;
  void OnIncomingRtp(Timestamp, absl::Span<InterceptedRtp> packets, InterceptorOutbox&) override {
    Look(packets);
  }
  void OnOutgoingRtp(Timestamp, absl::Span<InterceptedRtp> packets, InterceptorOutbox&) override {
    Look(packets);
  }

 private:
  static void Look(absl::Span<const InterceptedRtp> packets) {
    uint64_t sum = 0;
    for (const InterceptedRtp& row : packets) {
      sum += row.view.sequence_number().value();
      sum += row.attributes.Get(&PacketAttributes::probe_cluster).value_or(0);
    }
    benchmark::DoNotOptimize(sum);
  }
};

template <typename Kind>
std::unique_ptr<InterceptorChain> ChainOf(size_t count) {
  std::vector<std::unique_ptr<Interceptor>> interceptors;
  for (size_t i = 0; i < count; ++i) {
    interceptors.push_back(std::make_unique<Kind>(static_cast<InterceptorKind>(i)));
  }
  std::unique_ptr<InterceptorChain> chain =
      *InterceptorChain::Create(std::move(interceptors), {.rtcp = {.cname = "benchmark"}});
  StreamInfo info;
  info.ssrc = kSsrc;
  SLUICE_CHECK(chain->AddStream(kNow, PacketDirection::kIncoming, info) == AddStreamVerdict::kOk);
  SLUICE_CHECK(chain->AddStream(kNow, PacketDirection::kOutgoing, info) == AddStreamVerdict::kOk);
  return chain;
}

struct ChainRow {
  absl::string_view name;
  std::unique_ptr<InterceptorChain> (*make)(size_t count);
  size_t count;
};
constexpr ChainRow kChains[] = {
    {"empty", &ChainOf<PassThrough>, 0},
    {"six_pass_through", &ChainOf<PassThrough>, 6},
    {"six_readers", &ChainOf<Reader>, 6},
};

void BM_Chain(benchmark::State& state, const ChainRow& chain_row, PacketDirection direction,
              bool with_attributes, size_t batch) {
  const std::unique_ptr<InterceptorChain> chain = chain_row.make(chain_row.count);
  PacketArena packets(batch);
  AttributesArena attributes(batch);
  InterceptorOutbox out({}, packets, attributes);
  std::vector<PacketLoan> loans;
  std::vector<InterceptedRtp> rows;
  loans.reserve(batch);
  for (size_t i = 0; i < batch; ++i) {
    loans.push_back(RtpPacketBuilder()
                        .WithSsrc(kSsrc.value())
                        .WithSequence(static_cast<uint16_t>(i))
                        .WithPayloadSize(1000)
                        .BuildInto(packets));
    rows.push_back(*InterceptedRtp::Of(loans.back()));
  }
  uint64_t allocations = 0;
  while (state.KeepRunningBatch(static_cast<int64_t>(batch))) {
    const uint64_t before = ThreadAllocations();
    if (with_attributes) {
      for (InterceptedRtp& row : rows) {
        row.attributes = AttributesRef();
        row.attributes.Set(out.attributes(), &PacketAttributes::probe_cluster, 1u);
      }
    }
    const absl::Span<InterceptedRtp> left =
        direction == PacketDirection::kIncoming
            ? chain->OnIncomingRtp(kNow, absl::MakeSpan(rows), out)
            : chain->OnOutgoingRtp(kNow, absl::MakeSpan(rows), out);
    benchmark::DoNotOptimize(left.data());
    out.EndBatch();
    allocations += ThreadAllocations() - before;
  }
  SLUICE_CHECK(attributes.exhausted() == 0);
  state.counters["allocs_per_packet"] =
      static_cast<double>(allocations) / static_cast<double>(state.iterations());
}

[[maybe_unused]] const bool registered = [] {
  for (const ChainRow& chain : kChains) {
    for (const PacketDirection direction :
         {PacketDirection::kIncoming, PacketDirection::kOutgoing}) {
      for (const bool with_attributes : {false, true}) {
        for (const size_t batch : {size_t{1}, size_t{32}}) {
          const std::string name = absl::StrCat(
              chain.name, direction == PacketDirection::kIncoming ? "/incoming" : "/outgoing",
              with_attributes ? "/attributes_set" : "/attributes_nil", "/batch", batch);
          benchmark::RegisterBenchmark(name.c_str(), BM_Chain, chain, direction, with_attributes,
                                       batch);
        }
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace sluice
