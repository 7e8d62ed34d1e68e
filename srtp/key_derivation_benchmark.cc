#include <cstdint>

#include "base/testing/seeded_random.h"
#include "benchmark/benchmark.h"
#include "srtp/cipher_suite.h"
#include "srtp/key_derivation.h"
#include "srtp/master_key.h"
#include "srtp/packet_kind.h"

namespace sluice {
namespace {

MasterKey MakeMasterKey(SuiteId suite) {
  SeededRandom random(1);
  return MasterKey::Generate(suite, random);
}

// What a packet costs at which a key derivation rate comes round.
void BM_DeriveSessionKeys(benchmark::State& state, SuiteId suite) {
  const MasterKey master = MakeMasterKey(suite);
  uint64_t quotient = 0;
  for (auto _ : state) {
    SessionKeys keys = DeriveSessionKeys(master, PacketKind::kRtp, ++quotient);
    benchmark::DoNotOptimize(keys);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(BM_DeriveSessionKeys, CM128, SuiteId::kAesCm128HmacSha1_80);
BENCHMARK_CAPTURE(BM_DeriveSessionKeys, CM256, SuiteId::kAes256CmHmacSha1_80);
BENCHMARK_CAPTURE(BM_DeriveSessionKeys, GCM128, SuiteId::kAeadAes128Gcm);
BENCHMARK_CAPTURE(BM_DeriveSessionKeys, GCM256, SuiteId::kAeadAes256Gcm);

void BM_DeriveHeaderKeys(benchmark::State& state) {
  const MasterKey master = MakeMasterKey(SuiteId::kAesCm128HmacSha1_80);
  uint64_t quotient = 0;
  for (auto _ : state) {
    HeaderKeys keys = DeriveHeaderKeys(master, ++quotient);
    benchmark::DoNotOptimize(keys);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_DeriveHeaderKeys);

}  // namespace
}  // namespace sluice
