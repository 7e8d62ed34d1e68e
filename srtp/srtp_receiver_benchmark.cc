// Rows unprotect/<profile>/<bytes>, one packet per call, unprotect_batch32/<profile>/<bytes>, 32
// per call, and forged/<profile>/<bytes>, one packet per call whose tag is wrong. <bytes> are of
// payload; the header has 12. The time is that of one packet.

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
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"
#include "srtp/testing/packet_builder.h"
#include "srtp/verdict.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

// Slots that stay in the second level cache, as those of a busy worker do, and enough of them that
// stopping the clock once for all costs two or three nanoseconds each.
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

void BM_Unprotect(benchmark::State& state, SuiteId suite, size_t payload_size, size_t batch,
                  bool forged) {
  SeededRandom random(1);
  BoringSslEngine engine;
  const MasterKey key = MasterKey::Generate(suite, random);
  const std::unique_ptr<SrtpSender> sender = *SrtpSender::Create(key, {}, engine);
  const std::unique_ptr<SrtpReceiver> receiver = *SrtpReceiver::Create(key, {}, engine);
  PacketArena arena(kRing + 1);
  std::vector<PacketLoan> packets;
  std::vector<ProtectJob> protect_jobs;
  std::vector<UnprotectJob> jobs;
  packets.reserve(kRing);
  for (size_t i = 0; i < kRing; ++i) {
    packets.push_back(RtpPacketBuilder().WithPayloadSize(payload_size).BuildInto(arena));
    protect_jobs.push_back({sender.get(), &packets[i], PacketKind::kRtp, ProtectVerdict::kOk});
    jobs.push_back({receiver.get(), &packets[i], PacketKind::kRtp, UnprotectVerdict::kOk});
  }
  const size_t plain_size = packets[0].size();
  const UnprotectVerdict expected = forged ? UnprotectVerdict::kAuthFailed : UnprotectVerdict::kOk;

  uint16_t sequence = 0;
  uint64_t allocations = 0;
  while (state.KeepRunningBatch(kRing)) {
    state.PauseTiming();
    for (PacketLoan& packet : packets) {
      SLUICE_CHECK(packet.Resize(plain_size));
      StoreBe16(packet.bytes().data() + 2, sequence++);
    }
    Protect(absl::MakeSpan(protect_jobs), engine);
    if (forged) {
      for (PacketLoan& packet : packets) {
        packet.bytes().back() ^= 1;
      }
    }
    const uint64_t allocations_before = ThreadAllocations();
    state.ResumeTiming();
    for (size_t i = 0; i < kRing; i += batch) {
      Unprotect(absl::MakeSpan(jobs).subspan(i, batch), arena, engine);
    }
    allocations += ThreadAllocations() - allocations_before;
    SLUICE_CHECK(jobs.back().verdict == expected);
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * payload_size));
  state.counters["allocs_per_packet"] =
      static_cast<double>(allocations) / static_cast<double>(state.iterations());
}

void Register(absl::string_view operation, size_t batch, bool forged) {
  for (const Profile& profile : kProfiles) {
    for (const size_t bytes : {100, 1000, 1400}) {
      benchmark::RegisterBenchmark(absl::StrCat(operation, "/", profile.name, "/", bytes).c_str(),
                                   BM_Unprotect, profile.suite, bytes, batch, forged);
    }
  }
}

[[maybe_unused]] const bool registered = [] {
  Register("unprotect", 1, false);
  Register("unprotect_batch32", kBatch, false);
  Register("forged", 1, true);
  return true;
}();

}  // namespace
}  // namespace sluice
