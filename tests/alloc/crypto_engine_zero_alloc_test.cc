// What an engine does with packets and keys, good and bad: nothing is allocated.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "srtp/crypto/cpu_features.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/crypto/engine_choice.h"
#include "srtp/crypto/openssl_error.h"
#include "tests/alloc/counting_allocator.h"

namespace sluice {
namespace {

constexpr int kRounds = 1000;
// More than any engine takes at once.
constexpr size_t kBatch = 70;
constexpr size_t kSize = 1000;

class CryptoEngineZeroAllocTest : public testing::TestWithParam<EngineKind> {
 protected:
  CryptoEngineZeroAllocTest() : engine_(MakeEngine(GetParam())) {
    PrepareOpensslErrors();
    for (std::vector<uint8_t>& packet : packets_) {
      packet.resize(kSize);
      random_.Fill(absl::MakeSpan(packet));
    }
    random_.Fill(absl::MakeSpan(key_));
  }

  absl::Span<const uint8_t> Key(size_t size) const { return absl::MakeConstSpan(key_).first(size); }

  SeededRandom random_{1};
  const std::unique_ptr<CryptoEngine> engine_;
  std::array<std::vector<uint8_t>, kBatch> packets_;
  std::array<uint8_t, 32> key_;
  const std::array<uint8_t, 16> block_ = {};
};

INSTANTIATE_TEST_SUITE_P(Engines, CryptoEngineZeroAllocTest,
                         testing::ValuesIn(UsableEngines(DetectCpuFeatures())),
                         [](const testing::TestParamInfo<EngineKind>& engine) {
                           return std::string(EngineName(engine.param));
                         });

TEST_P(CryptoEngineZeroAllocTest, CounterMode) {
  const std::unique_ptr<CounterModeKey> keys[] = {
      engine_->MakeCounterModeKey(), engine_->MakeCounterModeKey(), engine_->MakeCounterModeKey()};
  std::vector<CounterModeJob> jobs;
  for (size_t i = 0; i < kBatch; ++i) {
    jobs.push_back({keys[i % 3].get(), block_.data(), packets_[i].data(), 10 * i});
  }
  const uint64_t before = ThreadAllocations();
  for (int i = 0; i < kRounds; ++i) {
    keys[0]->Set(Key(16));
    keys[1]->Set(Key(24));
    keys[2]->Set(Key(32));
    engine_->Crypt(jobs);
    engine_->Crypt(absl::MakeConstSpan(jobs).first(1));
  }
  EXPECT_EQ(ThreadAllocations() - before, 0u);
}

TEST_P(CryptoEngineZeroAllocTest, Mac) {
  const std::unique_ptr<HmacSha1Key> key = engine_->MakeHmacSha1Key();
  std::vector<std::array<uint8_t, kMacSize>> macs(kBatch);
  std::vector<MacJob> jobs;
  for (size_t i = 0; i < kBatch; ++i) {
    jobs.push_back({key.get(), packets_[i].data(), 1 + 10 * i, macs[i].data()});
  }
  const uint64_t before = ThreadAllocations();
  for (int i = 0; i < kRounds; ++i) {
    key->Set(Key(kMacKeySize));
    engine_->Authenticate(jobs);
    engine_->Authenticate(absl::MakeConstSpan(jobs).first(1));
  }
  EXPECT_EQ(ThreadAllocations() - before, 0u);
}

TEST_P(CryptoEngineZeroAllocTest, Gcm) {
  const std::unique_ptr<GcmKey> key = engine_->MakeGcmKey();
  std::array<uint8_t, kGcmTagSize> tag;
  const GcmJob job{key.get(),          block_.data(), block_.data(), 12,
                   packets_[0].data(), kSize,         tag.data()};
  int opened = 0;
  const uint64_t before = ThreadAllocations();
  for (int i = 0; i < kRounds; ++i) {
    key->Set(Key(i % 2 == 0 ? 16 : 32));
    engine_->Seal(job);
    opened += engine_->Open(job);
    engine_->Seal(job);
    tag[3] ^= 1;
    opened += engine_->Open(job);
  }
  EXPECT_EQ(ThreadAllocations() - before, 0u);
  EXPECT_EQ(opened, kRounds);
}

}  // namespace
}  // namespace sluice
