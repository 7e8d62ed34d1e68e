// Rows cm/<engine>/<batch>/<bytes>: Crypt, then Authenticate, of a batch of packets with a key
// each; gcm_seal and gcm_open/<engine>/<key bits>/<bytes>: one packet after the other. <bytes> are
// of payload; the header has 12. The time is that of one packet.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/testing/seeded_random.h"
#include "benchmark/benchmark.h"
#include "srtp/crypto/cpu_features.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/crypto/engine_choice.h"

namespace sluice {
namespace {

constexpr size_t kHeaderSize = 12;
// As packet slots are.
constexpr size_t kStride = 2048;
constexpr size_t kRing = 32;

struct Packets {
  explicit Packets(SeededRandom& random) : bytes(kRing * kStride), blocks(kRing * 16) {
    random.Fill(absl::MakeSpan(bytes));
    random.Fill(absl::MakeSpan(blocks));
  }
  uint8_t* packet(size_t i) { return bytes.data() + i * kStride; }
  uint8_t* block(size_t i) { return blocks.data() + i * 16; }

  std::vector<uint8_t> bytes;
  // Counter block or IV.
  std::vector<uint8_t> blocks;
  uint8_t tags[kRing][kGcmTagSize] = {};
};

std::vector<uint8_t> RandomKey(SeededRandom& random, size_t size) {
  std::vector<uint8_t> key(size);
  random.Fill(absl::MakeSpan(key));
  return key;
}

void BM_CounterModeAndMac(benchmark::State& state, EngineKind kind, size_t batch, size_t size) {
  SeededRandom random(1);
  const std::unique_ptr<CryptoEngine> engine = MakeEngine(kind);
  Packets packets(random);
  std::vector<std::unique_ptr<CounterModeKey>> cipher_keys;
  std::vector<std::unique_ptr<HmacSha1Key>> mac_keys;
  for (size_t i = 0; i < kRing; ++i) {
    cipher_keys.push_back(engine->MakeCounterModeKey());
    cipher_keys.back()->Set(RandomKey(random, 16));
    mac_keys.push_back(engine->MakeHmacSha1Key());
    mac_keys.back()->Set(RandomKey(random, kMacKeySize));
  }
  std::vector<CounterModeJob> cipher_jobs(batch);
  std::vector<MacJob> mac_jobs(batch);
  size_t next = 0;
  while (state.KeepRunningBatch(batch)) {
    for (size_t i = 0; i < batch; ++i) {
      const size_t p = next++ % kRing;
      cipher_jobs[i] = {cipher_keys[p].get(), packets.block(p), packets.packet(p) + kHeaderSize,
                        size};
      // With the four bytes of the rollover counter behind the payload.
      mac_jobs[i] = {mac_keys[p].get(), packets.packet(p), kHeaderSize + size + 4, packets.tags[p]};
    }
    engine->Crypt(cipher_jobs);
    engine->Authenticate(mac_jobs);
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * size));
}

void BM_Gcm(benchmark::State& state, EngineKind kind, size_t key_size, size_t size, bool open) {
  SeededRandom random(1);
  const std::unique_ptr<CryptoEngine> engine = MakeEngine(kind);
  Packets packets(random);
  std::vector<std::unique_ptr<GcmKey>> keys;
  std::vector<GcmJob> jobs;
  for (size_t p = 0; p < kRing; ++p) {
    keys.push_back(engine->MakeGcmKey());
    keys.back()->Set(RandomKey(random, key_size));
    jobs.push_back({keys[p].get(), packets.block(p), packets.packet(p), kHeaderSize,
                    packets.packet(p) + kHeaderSize, size, packets.tags[p]});
  }
  while (state.KeepRunningBatch(kRing)) {
    if (open) {
      state.PauseTiming();
      for (const GcmJob& job : jobs) {
        engine->Seal(job);
      }
      state.ResumeTiming();
      for (const GcmJob& job : jobs) {
        SLUICE_CHECK(engine->Open(job));
      }
    } else {
      for (const GcmJob& job : jobs) {
        engine->Seal(job);
      }
    }
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * size));
}

template <typename Key>
void BM_Set(benchmark::State& state, EngineKind kind, size_t key_size,
            std::unique_ptr<Key> (CryptoEngine::*make)()) {
  SeededRandom random(1);
  const std::unique_ptr<CryptoEngine> engine = MakeEngine(kind);
  const std::unique_ptr<Key> key = ((*engine).*make)();
  const std::vector<uint8_t> bytes = RandomKey(random, key_size);
  for (auto _ : state) {
    key->Set(bytes);
  }
}

[[maybe_unused]] const bool registered = [] {
  for (const EngineKind kind : UsableEngines(DetectCpuFeatures())) {
    const absl::string_view name = EngineName(kind);
    for (const size_t key_size : {16, 32}) {
      benchmark::RegisterBenchmark(absl::StrCat("set_cm/", name, "/", key_size * 8).c_str(),
                                   BM_Set<CounterModeKey>, kind, key_size,
                                   &CryptoEngine::MakeCounterModeKey);
      benchmark::RegisterBenchmark(absl::StrCat("set_gcm/", name, "/", key_size * 8).c_str(),
                                   BM_Set<GcmKey>, kind, key_size, &CryptoEngine::MakeGcmKey);
    }
    benchmark::RegisterBenchmark(absl::StrCat("set_mac/", name, "/", kMacKeySize * 8).c_str(),
                                 BM_Set<HmacSha1Key>, kind, kMacKeySize,
                                 &CryptoEngine::MakeHmacSha1Key);
    for (const size_t bytes : {100, 1000}) {
      for (const size_t batch : {1, 4, 6, 8, 16, 32}) {
        benchmark::RegisterBenchmark(absl::StrCat("cm/", name, "/", batch, "/", bytes).c_str(),
                                     BM_CounterModeAndMac, kind, batch, bytes);
      }
      for (const size_t key_size : {16, 32}) {
        for (const bool open : {false, true}) {
          benchmark::RegisterBenchmark(
              absl::StrCat(open ? "gcm_open/" : "gcm_seal/", name, "/", key_size * 8, "/", bytes)
                  .c_str(),
              BM_Gcm, kind, key_size, bytes, open);
        }
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace sluice
