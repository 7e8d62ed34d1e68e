// Rows <impl>/<op>/<profile>/<bytes>: what protecting or unprotecting a packet of RTP costs with
// different implementations, in place. <bytes> are of payload; the header has 12. Times are those
// of one packet, also where one call takes 4 or 32 of them.
//
//   sluice_mb         ours on intel-ipsec-mb
//   sluice_boringssl  ours on BoringSSL
//   libsrtp           libsrtp 2.7.0 on the same BoringSSL, one packet per call always
//   raw_ipsec_mb      only the arithmetic, see raw_ipsec_mb_peer.h
//   raw_boringssl     only the arithmetic, see raw_boringssl_peer.h
//
// All have the same conditions: one stream under one key, whose packets lie in a ring of 128 slots
// that stays in the second level cache. Once per lap the clock stands still. Then packets are made
// plain again and get the next sequence numbers, as if they had been received; where they are to be
// unprotected, ours protects them for everyone. So nothing of that is measured but for
// stopping the clock, a nanosecond or two per packet in every row, and replay protection is on and
// sees only packets that are new. The replay windows of libsrtp and ours have 128 packets.
//
// Rows of one run can be compared, if its repetitions are interleaved and it keeps to one core:
//
//   bazel build //tests/peers:srtp_peers_benchmark
//   taskset -c 1 bazel-bin/tests/peers/srtp_peers_benchmark --benchmark_min_time=0.02s
//       --benchmark_repetitions=15 --benchmark_enable_random_interleaving=true
//       --benchmark_out=run1.json --benchmark_out_format=json
//   tools/bench/srtp_bars.py run1.json

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "base/testing/seeded_random.h"
#include "benchmark/benchmark.h"
#include "srtp/cipher_suite.h"
#include "srtp/crypto/cpu_features.h"
#include "srtp/crypto/engine_choice.h"
#include "srtp/master_key.h"
#include "tests/alloc/counting_allocator.h"
#include "tests/peers/packet_ring.h"
#include "tests/peers/sluice_srtp_peer.h"
#include "tests/peers/srtp_peer.h"
#include "tests/peers/srtp_peers.h"

namespace sluice {
namespace {

struct Profile {
  absl::string_view name;
  SuiteId suite;
};
constexpr Profile kProfiles[] = {
    {"CM128_80", SuiteId::kAesCm128HmacSha1_80},
    {"CM256_80", SuiteId::kAes256CmHmacSha1_80},
    {"GCM128", SuiteId::kAeadAes128Gcm},
    {"GCM256", SuiteId::kAeadAes256Gcm},
};

struct Operation {
  absl::string_view name;
  bool protect;
  // Packets per call; a divisor of PacketRing::kSlots.
  size_t batch;
};
constexpr Operation kOperations[] = {
    {"protect", true, 1},          {"unprotect", false, 1},          {"protect_batch4", true, 4},
    {"protect_batch32", true, 32}, {"unprotect_batch32", false, 32},
};

constexpr size_t kPayloadSizes[] = {100, 1000, 1400};
static_assert(kPayloadSizes[2] == PacketRing::kMaxPayloadSize);

// Of all slots. Whether all went well.
bool Lap(SrtpPeer& peer, const Operation& operation) {
  bool ok = true;
  for (size_t slot = 0; slot < PacketRing::kSlots; slot += operation.batch) {
    ok &= operation.protect ? peer.Protect(slot, operation.batch)
                            : peer.Unprotect(slot, operation.batch);
  }
  return ok;
}

void BM_Peer(benchmark::State& state, const SrtpPeerKind& kind, const Operation& operation,
             SuiteId suite, size_t payload_size) {
  SeededRandom random(1);
  const MasterKey key = MasterKey::Generate(suite, random);
  PacketRing ring(payload_size);
  const std::unique_ptr<SrtpPeer> peer = kind.make(key, ring);
  SLUICE_CHECK(peer != nullptr);
  SluiceSrtpPeer source(key, ring, MakeEngine(UsableEngines(DetectCpuFeatures()).front()));

  uint64_t allocations = 0;
  while (state.KeepRunningBatch(PacketRing::kSlots)) {
    state.PauseTiming();
    ring.NextLap();
    if (operation.protect) {
      peer->BeforeProtect();
    } else {
      SLUICE_CHECK(source.Protect(0, PacketRing::kSlots));
      peer->BeforeUnprotect();
    }
    const uint64_t allocations_before = ThreadAllocations();
    state.ResumeTiming();
    const bool ok = Lap(*peer, operation);
    allocations += ThreadAllocations() - allocations_before;
    SLUICE_CHECK(ok);
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * payload_size));
  state.counters["allocs_per_packet"] =
      static_cast<double>(allocations) / static_cast<double>(state.iterations());
}

[[maybe_unused]] const bool registered = [] {
  for (const SrtpPeerKind& kind : SrtpPeerKinds()) {
    for (const Operation& operation : kOperations) {
      for (const Profile& profile : kProfiles) {
        for (const size_t bytes : kPayloadSizes) {
          const std::string name =
              absl::StrCat(kind.name, "/", operation.name, "/", profile.name, "/", bytes);
          benchmark::RegisterBenchmark(name.c_str(), BM_Peer, kind, operation, profile.suite,
                                       bytes);
        }
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace sluice
