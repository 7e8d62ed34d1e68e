// Rows protect/<profile>/<bytes>, one packet per call, and protect_batch32/<profile>/<bytes>, 32
// per call. <bytes> are of payload; the header has 12. The time is that of one packet.

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
#include "srtp/crypto/boringssl_engine.h"
#include "srtp/master_key.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/srtp_sender.h"
#include "srtp/testing/packet_builder.h"
#include "srtp/verdict.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

// Slots that stay in the second level cache, as those of a busy worker do.
constexpr size_t kRing = 128;
constexpr size_t kBatch = 32;

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

void BM_Protect(benchmark::State& state, SuiteId suite, size_t payload_size, size_t batch) {
  SeededRandom random(1);
  BoringSslEngine engine;
  const std::unique_ptr<SrtpSender> sender =
      *SrtpSender::Create(MasterKey::Generate(suite, random), {}, engine);
  PacketArena arena(kRing);
  std::vector<PacketLoan> packets;
  std::vector<ProtectJob> jobs;
  packets.reserve(kRing);
  for (size_t i = 0; i < kRing; ++i) {
    packets.push_back(RtpPacketBuilder().WithPayloadSize(payload_size).BuildInto(arena));
    jobs.push_back({sender.get(), &packets[i], PacketKind::kRtp, ProtectVerdict::kOk});
  }
  const size_t plain_size = packets[0].size();

  uint16_t sequence = 0;
  uint64_t allocations = 0;
  while (state.KeepRunningBatch(kRing)) {
    const uint64_t allocations_before = ThreadAllocations();
    for (size_t i = 0; i < kRing; i += batch) {
      // What a plain packet would come with; two or three nanoseconds each.
      for (PacketLoan& packet : absl::MakeSpan(packets).subspan(i, batch)) {
        SLUICE_CHECK(packet.Resize(plain_size));
        StoreBe16(packet.bytes().data() + 2, sequence++);
      }
      Protect(absl::MakeSpan(jobs).subspan(i, batch), engine);
    }
    allocations += ThreadAllocations() - allocations_before;
    SLUICE_CHECK(jobs.back().verdict == ProtectVerdict::kOk);
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * payload_size));
  state.counters["allocs_per_packet"] =
      static_cast<double>(allocations) / static_cast<double>(state.iterations());
}

[[maybe_unused]] const bool registered = [] {
  for (const size_t batch : {size_t{1}, kBatch}) {
    const absl::string_view operation = batch == 1 ? "protect" : "protect_batch32";
    for (const Profile& profile : kProfiles) {
      for (const size_t bytes : {100, 1000, 1400}) {
        benchmark::RegisterBenchmark(absl::StrCat(operation, "/", profile.name, "/", bytes).c_str(),
                                     BM_Protect, profile.suite, bytes, batch);
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace sluice
