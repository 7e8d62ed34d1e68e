// Rows <engine>/<op>/<profile>/<bytes>, <bytes> of payload behind a header of 12. Times are those
// of one packet. The operations:
//
//   unprotect                      one packet per call
//   unprotect_batch32              32 per call, of one receiver
//   unprotect_batch32_receivers32  32 per call, each of another receiver with its own key
//   forged                         one packet per call, whose tag is wrong
//   forged_batch32                 32 per call, whose tags are wrong
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
#include "srtp/srtp_receiver.h"
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
  size_t receivers;
  UnprotectVerdict verdict;
};
constexpr Operation kOperations[] = {
    {"unprotect", 1, 1, UnprotectVerdict::kOk},
    {"unprotect_batch32", 32, 1, UnprotectVerdict::kOk},
    {"unprotect_batch32_receivers32", 32, 32, UnprotectVerdict::kOk},
    {"forged", 1, 1, UnprotectVerdict::kAuthFailed},
    {"forged_batch32", 32, 1, UnprotectVerdict::kAuthFailed},
};

// Senders and the receivers that know their keys.
struct Streams {
  Streams(size_t count, SuiteId suite, CryptoEngine& engine) {
    SeededRandom random(1);
    for (size_t i = 0; i < count; ++i) {
      const MasterKey key = MasterKey::Generate(suite, random);
      senders.push_back(*SrtpSender::Create(key, {}, engine));
      receivers.push_back(*SrtpReceiver::Create(key, {}, engine));
    }
  }

  std::vector<std::unique_ptr<SrtpSender>> senders;
  std::vector<std::unique_ptr<SrtpReceiver>> receivers;
};

void BM_Unprotect(benchmark::State& state, EngineKind kind, const Operation& operation,
                  SuiteId suite, size_t payload_size) {
  const std::unique_ptr<CryptoEngine> engine = MakeEngine(kind);
  const Streams streams(operation.receivers, suite, *engine);
  PacketArena arena(kRing + 1);
  std::vector<PacketLoan> packets;
  std::vector<ProtectJob> protect_jobs;
  std::vector<UnprotectJob> jobs;
  packets.reserve(kRing);
  for (size_t i = 0; i < kRing; ++i) {
    packets.push_back(RtpPacketBuilder().WithPayloadSize(payload_size).BuildInto(arena));
    const size_t stream = i % operation.receivers;
    protect_jobs.push_back(
        {streams.senders[stream].get(), &packets[i], PacketKind::kRtp, ProtectVerdict::kOk});
    jobs.push_back(
        {streams.receivers[stream].get(), &packets[i], PacketKind::kRtp, UnprotectVerdict::kOk});
  }
  const size_t plain_size = packets[0].size();
  uint16_t sequence = 0;
  const auto protect_all = [&] {
    for (PacketLoan& packet : packets) {
      SLUICE_CHECK(packet.Resize(plain_size));
      StoreBe16(packet.bytes().data() + 2, sequence++);
    }
    Protect(absl::MakeSpan(protect_jobs), *engine);
  };
  // Receivers know their streams: of a first packet more than one rollover would be tried.
  protect_all();
  Unprotect(absl::MakeSpan(jobs), arena, *engine);
  SLUICE_CHECK(jobs.back().verdict == UnprotectVerdict::kOk);

  uint64_t allocations = 0;
  while (state.KeepRunningBatch(kRing)) {
    state.PauseTiming();
    protect_all();
    if (operation.verdict == UnprotectVerdict::kAuthFailed) {
      for (PacketLoan& packet : packets) {
        packet.bytes().back() ^= 1;
      }
    }
    const uint64_t allocations_before = ThreadAllocations();
    state.ResumeTiming();
    for (size_t i = 0; i < kRing; i += operation.batch) {
      Unprotect(absl::MakeSpan(jobs).subspan(i, operation.batch), arena, *engine);
    }
    allocations += ThreadAllocations() - allocations_before;
    SLUICE_CHECK(jobs.back().verdict == operation.verdict);
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
          BM_Unprotect, kind, operation, profile.suite, bytes);
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
