#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "benchmark/benchmark.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes BarePacket() { return RtpPacketBuilder().WithPayloadSize(1000).Build(); }

// As a browser sends video: abs-send-time, transport-wide sequence number, mid.
Bytes BrowserPacket() {
  return RtpPacketBuilder()
      .AddOneByteExtension(2, Bytes{1, 2, 3})
      .AddOneByteExtension(3, Bytes{0, 9})
      .AddOneByteExtension(4, Bytes{'0'})
      .WithPayloadSize(1000)
      .Build();
}

// What SRTP needs to begin: header size, SSRC, sequence number.
void ParseHeader(benchmark::State& state, const Bytes& packet) {
  absl::Span<const uint8_t> bytes = packet;
  for (auto _ : state) {
    benchmark::DoNotOptimize(bytes);
    const std::optional<RtpPacketView> view = RtpPacketView::ParseHeader(bytes);
    benchmark::DoNotOptimize(view->header_size());
    benchmark::DoNotOptimize(view->ssrc().value());
    benchmark::DoNotOptimize(view->sequence_number().value());
  }
  state.SetItemsProcessed(state.iterations());
}
void BM_ParseHeaderBare(benchmark::State& state) { ParseHeader(state, BarePacket()); }
BENCHMARK(BM_ParseHeaderBare);
void BM_ParseHeaderWithExtension(benchmark::State& state) { ParseHeader(state, BrowserPacket()); }
BENCHMARK(BM_ParseHeaderWithExtension);

void BM_Parse(benchmark::State& state) {
  const Bytes packet = BrowserPacket();
  absl::Span<const uint8_t> bytes = packet;
  for (auto _ : state) {
    benchmark::DoNotOptimize(bytes);
    const std::optional<RtpPacketView> view = RtpPacketView::Parse(bytes);
    benchmark::DoNotOptimize(view->payload_without_padding());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_Parse);

// Three elements of one extension.
void BM_ForEachExtension(benchmark::State& state) {
  const Bytes packet = BrowserPacket();
  std::optional<RtpPacketView> view = RtpPacketView::Parse(packet);
  for (auto _ : state) {
    benchmark::DoNotOptimize(view);
    size_t bytes = 0;
    view->ForEachExtension(
        [&bytes](uint8_t id, absl::Span<const uint8_t> data) { bytes += id + data.size(); });
    benchmark::DoNotOptimize(bytes);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_ForEachExtension);

}  // namespace
}  // namespace sluice
