// Rows <engine>/<op>/<profile>/<bytes>, <bytes> of payload behind a header of 12. Times are those
// of one packet. The operations:
//
//   protect                    one packet per call
//   protect_batch32            32 per call, of one sender
//   protect_batch32_senders32  32 per call, each of another sender with its own key: what a worker
//                              with many sessions does
//
// Beside other implementations: //tests/peers:srtp_peers_benchmark.

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "base/testing/seeded_random.h"
#include "benchmark/benchmark.h"
#include "srtp/cipher_suite.h"
#include "srtp/crypto/cpu_features.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/crypto/engine_choice.h"
#include "srtp/master_key.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/srtp_sender.h"
#include "srtp/testing/packet_builder.h"
#include "srtp/verdict.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

// Slots that stay in the second level cache, as those of a busy worker do, and enough of them that
// stopping the clock once for all costs a nanosecond or two each.
constexpr size_t kRing = 128;

struct Profile {
  absl::string_view name;
  SuiteId suite;
};
constexpr Profile kProfiles[] = {
    {"CM128_80", SuiteId::kAesCm128HmacSha1_80},
    {"CM128_32", SuiteId::kAesCm128HmacSha1_32},
    {"GCM128", SuiteId::kAeadAes128Gcm},
    {"GCM256", SuiteId::kAeadAes256Gcm},
};

struct Operation {
  absl::string_view name;
  // Packets per call.
  size_t batch;
  size_t senders;
};
constexpr Operation kOperations[] = {
    {"protect", 1, 1},
    {"protect_batch32", 32, 1},
    {"protect_batch32_senders32", 32, 32},
};

void BM_Protect(benchmark::State& state, EngineKind kind, const Operation& operation, SuiteId suite,
                size_t payload_size) {
  SeededRandom random(1);
  const std::unique_ptr<CryptoEngine> engine = MakeEngine(kind);
  std::vector<std::unique_ptr<SrtpSender>> senders;
  for (size_t i = 0; i < operation.senders; ++i) {
    senders.push_back(*SrtpSender::Create(MasterKey::Generate(suite, random), {}, *engine));
  }
  PacketArena arena(kRing);
  std::vector<PacketLoan> packets;
  std::vector<ProtectJob> jobs;
  packets.reserve(kRing);
  for (size_t i = 0; i < kRing; ++i) {
    packets.push_back(RtpPacketBuilder().WithPayloadSize(payload_size).BuildInto(arena));
    jobs.push_back(
        {senders[i % operation.senders].get(), &packets[i], PacketKind::kRtp, ProtectVerdict::kOk});
  }
  const size_t plain_size = packets[0].size();

  uint16_t sequence = 0;
  uint64_t allocations = 0;
  while (state.KeepRunningBatch(kRing)) {
    state.PauseTiming();
    for (PacketLoan& packet : packets) {
      SLUICE_CHECK(packet.Resize(plain_size));
      StoreBe16(packet.bytes().data() + 2, sequence++);
    }
    const uint64_t allocations_before = ThreadAllocations();
    state.ResumeTiming();
    for (size_t i = 0; i < kRing; i += operation.batch) {
      Protect(absl::MakeSpan(jobs).subspan(i, operation.batch), *engine);
    }
    allocations += ThreadAllocations() - allocations_before;
    SLUICE_CHECK(jobs.back().verdict == ProtectVerdict::kOk);
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * payload_size));
  state.counters["allocs_per_packet"] =
      static_cast<double>(allocations) / static_cast<double>(state.iterations());
}

void Register(EngineKind kind, const Operation& operation) {
  for (const Profile& profile : kProfiles) {
    for (const size_t bytes : {100, 1000, 1400}) {
      benchmark::RegisterBenchmark(
          absl::StrCat(EngineName(kind), "/", operation.name, "/", profile.name, "/", bytes)
              .c_str(),
          BM_Protect, kind, operation, profile.suite, bytes);
    }
  }
}

[[maybe_unused]] const bool registered = [] {
  for (const EngineKind kind : UsableEngines(DetectCpuFeatures())) {
    for (const Operation& operation : kOperations) {
      Register(kind, operation);
    }
  }
  return true;
}();

}  // namespace
}  // namespace sluice
