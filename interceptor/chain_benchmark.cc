// Rows <chain>/<direction>/<attributes>/<batch>: what a chain costs per packet beside what its
// interceptors do. A pass-through interceptor is called and leaves the batch as it is; a reader
// looks at every packet's header and at a fact. With attributes set, each packet comes with an
// object and a fact in it, which is part of the time.
//
// Rows default/...: all that a video leg with NACK, key frame requests and transport-wide feedback
// has by default, in full: statistics, reports, numbers and their log, estimator, history with its
// copy of 1000 bytes, key frames. Rows only/<interceptor>/...: a chain with one of them. Packets
// are numbered anew for each batch, which is part of the time, and is all that the rows only/none
// have. The last number of a name is the payload's size. Timers are none of it: no call is due
// between two packets, and rows timeout/... are what one costs.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "base/random_source.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "benchmark/benchmark.h"
#include "interceptor/attributes_arena.h"
#include "interceptor/bwe/bandwidth_estimator.h"
#include "interceptor/bwe/send_side_estimator.h"
#include "interceptor/chain.h"
#include "interceptor/intercepted_packet.h"
#include "interceptor/interceptor.h"
#include "interceptor/interceptor_kind.h"
#include "interceptor/interceptor_outbox.h"
#include "interceptor/keyframe/key_frame_throttle.h"
#include "interceptor/nack/nack_generator.h"
#include "interceptor/nack/nack_responder.h"
#include "interceptor/packet_attributes.h"
#include "interceptor/report/reporter.h"
#include "interceptor/stats/rtp_stream_stats.h"
#include "interceptor/stream_info.h"
#include "interceptor/twcc/transport_wide_feedback.h"
#include "srtp/packet_arena.h"
#include "srtp/rtp_types.h"
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

// ---- The default chain. ----

constexpr uint8_t kVideo = 96;
constexpr uint8_t kTransportSequence = 5;
// Where the number stands: behind the fixed header, the extension's and the element's first byte.
constexpr size_t kNumberOffset = 12 + 4 + 1;
// Packets that show one picture.
constexpr uint16_t kPicturePackets = 8;
constexpr uint32_t kTicksPerPicture = 3000;
// 10 000 packets of 1000 bytes a second are 80 Mbit/s.
constexpr TimeDelta kPacketTime = TimeDelta::Micros(100);

StreamInfo Video() {
  StreamInfo info;
  info.ssrc = kSsrc;
  info.retransmission_ssrc = Ssrc(kSsrc.value() + 1);
  info.feedback = {.nack = true, .picture_loss_indication = true, .transport_wide = true};
  info.extensions.transport_sequence = kTransportSequence;
  info.video = true;
  SLUICE_CHECK(info.AddFormat({.payload_type = PayloadType(kVideo), .codec = PayloadCodec::kVp8}));
  SLUICE_CHECK(info.AddFormat({.payload_type = PayloadType(kVideo + 1),
                               .role = PayloadRole::kRetransmission,
                               .associated = PayloadType(kVideo)}));
  return info;
}

// As gateway/leg/chain_parts makes them.
std::vector<std::unique_ptr<Interceptor>> DefaultInterceptors(RandomSource& random) {
  std::vector<std::unique_ptr<Interceptor>> list;
  list.push_back(*RtpStreamStats::Create({}));
  list.push_back(*TransportWideFeedback::Create({}));
  list.push_back(*BandwidthEstimator::Create(SendSideEstimatorOptions()));
  list.push_back(*Reporter::Create({}, random));
  list.push_back(*NackGenerator::Create({}));
  list.push_back(*NackResponder::Create({}, random));
  list.push_back(*KeyFrameThrottle::Create({}));
  return list;
}

// Which of the default interceptors a chain has.
struct Choice {
  std::string name;
  bool all = false;
  std::optional<InterceptorKind> only = std::nullopt;
};

// A leg's chain and a stream of packets that are never the same.
class Media {
 public:
  Media(const Choice& choice, size_t batch, size_t payload)
      : arena_(batch), attributes_(batch), out_({}, arena_, attributes_) {
    std::vector<std::unique_ptr<Interceptor>> list = DefaultInterceptors(random_);
    std::erase_if(list, [&](const auto& interceptor) {
      return !choice.all && choice.only != interceptor->kind();
    });
    chain_ = *InterceptorChain::Create(std::move(list), {.rtcp = {.cname = "benchmark"}});
    for (const PacketDirection direction :
         {PacketDirection::kIncoming, PacketDirection::kOutgoing}) {
      SLUICE_CHECK(chain_->AddStream(now_, direction, Video()) == AddStreamVerdict::kOk);
    }
    loans_.reserve(batch);
    for (size_t i = 0; i < batch; ++i) {
      const uint8_t number[2] = {};
      loans_.push_back(RtpPacketBuilder()
                           .WithSsrc(kSsrc.value())
                           .WithPayloadType(kVideo)
                           .WithPayloadSize(payload)
                           .AddOneByteExtension(kTransportSequence, number)
                           .BuildInto(arena_));
      rows_.push_back(*InterceptedRtp::Of(loans_.back()));
    }
  }

  // The next packets of the stream.
  absl::Span<InterceptedRtp> Next(bool with_attributes) {
    for (InterceptedRtp& row : rows_) {
      ++sequence_;
      uint8_t* const bytes = row.packet->bytes().data();
      StoreBe16(bytes + 2, sequence_);
      StoreBe32(bytes + 4, sequence_ / kPicturePackets * kTicksPerPicture);
      StoreBe16(bytes + kNumberOffset, sequence_);
      row.attributes = AttributesRef();
      if (with_attributes) {
        row.attributes.Set(attributes_, &PacketAttributes::arrival, now_);
      }
    }
    now_ += kPacketTime * static_cast<int64_t>(rows_.size());
    return absl::MakeSpan(rows_);
  }

  void Pass(PacketDirection direction, bool with_attributes) {
    const absl::Span<InterceptedRtp> packets = Next(with_attributes);
    const absl::Span<InterceptedRtp> left = direction == PacketDirection::kIncoming
                                                ? chain_->OnIncomingRtp(now_, packets, out_)
                                                : chain_->OnOutgoingRtp(now_, packets, out_);
    benchmark::DoNotOptimize(left.data());
    out_.EndBatch();
  }

  InterceptorChain& chain() { return *chain_; }
  InterceptorOutbox& out() { return out_; }
  Timestamp now() const { return now_; }
  uint64_t without_attributes() const { return attributes_.exhausted(); }

 private:
  SeededRandom random_{1};
  PacketArena arena_;
  AttributesArena attributes_;
  InterceptorOutbox out_;
  std::unique_ptr<InterceptorChain> chain_;
  std::vector<PacketLoan> loans_;
  std::vector<InterceptedRtp> rows_;
  uint16_t sequence_ = 0;
  Timestamp now_ = kNow;
};

void BM_Media(benchmark::State& state, const Choice& choice, PacketDirection direction,
              bool with_attributes, size_t batch, size_t payload) {
  Media media(choice, batch, payload);
  const uint64_t before = ThreadAllocations();
  while (state.KeepRunningBatch(static_cast<int64_t>(batch))) {
    media.Pass(direction, with_attributes);
  }
  const uint64_t allocations = ThreadAllocations() - before;
  SLUICE_CHECK(media.without_attributes() == 0);
  state.counters["allocs_per_packet"] =
      static_cast<double>(allocations) / static_cast<double>(state.iterations());
}

// A call that is due, on a leg with one stream each way. All that is due in between is done.
void BM_Timeout(benchmark::State& state) {
  Media media({.name = "default", .all = true}, 32, 1000);
  media.Pass(PacketDirection::kIncoming, false);
  media.Pass(PacketDirection::kOutgoing, false);
  Timestamp now = media.now();
  const uint64_t before = ThreadAllocations();
  for (auto _ : state) {
    now = std::max(now, media.chain().NextTimeout());
    media.chain().OnTimeout(now, media.out());
    media.out().EndBatch();
  }
  state.counters["allocs"] =
      static_cast<double>(ThreadAllocations() - before) / static_cast<double>(state.iterations());
}
BENCHMARK(BM_Timeout)->Name("timeout/default");

// What remembering a packet costs at least: a batch of packets copied to the end of a ring as large
// as the history's.
void BM_Copy(benchmark::State& state) {
  constexpr size_t kBatch = 32;
  const auto size = static_cast<size_t>(state.range(0));
  Media media({.name = "none"}, kBatch, size);
  std::vector<uint8_t> ring(NackResponderOptions().history_bytes);
  size_t end = 0;
  while (state.KeepRunningBatch(kBatch)) {
    for (const InterceptedRtp& row : media.Next(false)) {
      const absl::Span<const uint8_t> bytes = row.view.bytes();
      end = end + bytes.size() > ring.size() ? 0 : end;
      CopyBytes(absl::MakeSpan(ring).subspan(end), bytes);
      end += bytes.size();
    }
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_Copy)->Name("only/copy/batch32")->Arg(100)->Arg(1000);

// ---- Rows. ----

std::string RowName(absl::string_view chain, PacketDirection direction, bool with_attributes,
                    size_t batch) {
  return absl::StrCat(chain, direction == PacketDirection::kIncoming ? "/incoming" : "/outgoing",
                      with_attributes ? "/attributes_set" : "/attributes_nil", "/batch", batch);
}

void RegisterDefaultChain() {
  for (const PacketDirection direction : {PacketDirection::kIncoming, PacketDirection::kOutgoing}) {
    const Choice whole = {.name = "default", .all = true};
    for (const bool with_attributes : {false, true}) {
      for (const size_t batch : {size_t{1}, size_t{32}}) {
        for (const size_t payload : {size_t{100}, size_t{1000}}) {
          const std::string name =
              absl::StrCat(RowName(whole.name, direction, with_attributes, batch), "/", payload);
          benchmark::RegisterBenchmark(name.c_str(), BM_Media, whole, direction, with_attributes,
                                       batch, payload);
        }
      }
    }
    SeededRandom random(1);
    std::vector<Choice> choices = {{.name = "only/none"}};
    for (const std::unique_ptr<Interceptor>& interceptor : DefaultInterceptors(random)) {
      const InterceptorKind kind = interceptor->kind();
      choices.push_back({.name = absl::StrCat("only/", InterceptorKindName(kind)), .only = kind});
    }
    for (const Choice& choice : choices) {
      for (const size_t payload : {size_t{100}, size_t{1000}}) {
        const std::string name =
            absl::StrCat(RowName(choice.name, direction, false, 32), "/", payload);
        benchmark::RegisterBenchmark(name.c_str(), BM_Media, choice, direction, false, size_t{32},
                                     payload);
      }
    }
  }
}

[[maybe_unused]] const bool registered = [] {
  for (const ChainRow& chain : kChains) {
    for (const PacketDirection direction :
         {PacketDirection::kIncoming, PacketDirection::kOutgoing}) {
      for (const bool with_attributes : {false, true}) {
        for (const size_t batch : {size_t{1}, size_t{32}}) {
          const std::string name = RowName(chain.name, direction, with_attributes, batch);
          benchmark::RegisterBenchmark(name.c_str(), BM_Chain, chain, direction, with_attributes,
                                       batch);
        }
      }
    }
  }
  RegisterDefaultChain();
  return true;
}();

}  // namespace
}  // namespace sluice
