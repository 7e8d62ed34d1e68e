// Byte for byte against BoringSSL, at every level of the library that this CPU can run.

#include "srtp/crypto/ipsec_mb_engine.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/testing/seeded_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/crypto/boringssl_engine.h"
#include "srtp/crypto/cpu_features.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/crypto/ipsec_mb_manager.h"
#include "srtp/crypto/testing/every_engine.h"

namespace sluice {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

using Bytes = std::vector<uint8_t>;

// Around everything that an engine writes.
constexpr uint8_t kGuard = 0xA7;
constexpr size_t kGuardSize = 64;
// What one packet slot holds, and the largest payload in it.
constexpr size_t kMaxPayload = 1824;
// More than two full rounds of lanes, and more than one call of the library takes.
constexpr size_t kMaxJobs = 70;

// Bytes at any alignment with guards on both sides.
class Guarded {
 public:
  Guarded(const Bytes& bytes, size_t offset) : begin_(kGuardSize + offset), size_(bytes.size()) {
    all_.assign(begin_ + size_ + kGuardSize, kGuard);
    CopyBytes(absl::MakeSpan(all_).subspan(begin_), bytes);
  }

  uint8_t* data() { return all_.data() + begin_; }
  size_t size() const { return size_; }
  Bytes bytes() const { return Bytes(all_.begin() + begin_, all_.begin() + begin_ + size_); }
  bool GuardsStand() const {
    const auto stands = [](uint8_t byte) { return byte == kGuard; };
    return std::all_of(all_.begin(), all_.begin() + begin_, stands) &&
           std::all_of(all_.begin() + begin_ + size_, all_.end(), stands);
  }

 private:
  Bytes all_;
  size_t begin_;
  size_t size_;
};

class IpsecMbEngineTest : public testing::Test {
 protected:
  // Calls `test` with an engine of each level. Does nothing on a CPU that runs none.
  void ForEachLevel(absl::FunctionRef<void(CryptoEngine&)> test) {
    for (const NamedEngine& named : EveryIpsecMbEngine()) {
      SCOPED_TRACE(named.name);
      test(*named.engine);
      if (HasFatalFailure()) return;
    }
  }

  size_t Below(size_t bound) { return random_.NextU32() % bound; }
  Bytes RandomBytes(size_t size) {
    Bytes bytes(size);
    random_.Fill(absl::MakeSpan(bytes));
    return bytes;
  }
  // As packets are: all sizes, and often the same or one that just fits a block.
  size_t RandomSize() {
    switch (Below(4)) {
      case 0:
        return Below(kMaxPayload + 1);
      case 1:
        return Below(200);
      case 2:
        return 64 * Below(28) + Below(3);
      default:
        return 160;
    }
  }

  SeededRandom random_{SeededRandom::SeedFromEnvOr(1313)};
  const testing::ScopedTrace trace_{__FILE__, __LINE__,
                                    absl::StrCat("replay with SLUICE_TEST_SEED=", random_.seed())};
  BoringSslEngine reference_;
};

TEST_F(IpsecMbEngineTest, OldCpuIsRefusedWithASentence) {
  const absl::Status status = IpsecMbEngine::Create({}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("SSE4.2, AES, PCLMULQDQ"));
}

// One job for both engines.
struct CounterModeCase {
  Bytes counter_block;
  Guarded data;
  Bytes expected;
  std::unique_ptr<CounterModeKey> key;
  std::unique_ptr<CounterModeKey> reference_key;
};

TEST_F(IpsecMbEngineTest, CryptGivesTheSameBytes) {
  ForEachLevel([this](CryptoEngine& engine) {
    for (int round = 0; round < 150; ++round) {
      std::vector<CounterModeCase> cases;
      // Of one key size, of two, of all.
      const size_t key_sizes = 1 + Below(3);
      const size_t count = 1 + Below(kMaxJobs);
      for (size_t i = 0; i < count; ++i) {
        const Bytes key = RandomBytes(16 + 8 * Below(key_sizes));
        const Bytes plain = RandomBytes(round % 10 == 0 ? Below(3) : RandomSize());
        Bytes counter_block = RandomBytes(kCounterBlockSize);
        counter_block[14] = counter_block[15] = 0;
        cases.push_back({counter_block, Guarded(plain, Below(64)), plain,
                         engine.MakeCounterModeKey(), reference_.MakeCounterModeKey()});
        cases.back().key->Set(key);
        cases.back().reference_key->Set(key);
      }
      std::vector<CounterModeJob> jobs, reference_jobs;
      for (CounterModeCase& c : cases) {
        jobs.push_back({c.key.get(), c.counter_block.data(), c.data.data(), c.data.size()});
        reference_jobs.push_back(
            {c.reference_key.get(), c.counter_block.data(), c.expected.data(), c.expected.size()});
      }
      engine.Crypt(jobs);
      reference_.Crypt(reference_jobs);
      for (size_t i = 0; i < count; ++i) {
        ASSERT_EQ(cases[i].data.bytes(), cases[i].expected) << "job " << i << " of " << count;
        ASSERT_TRUE(cases[i].data.GuardsStand()) << "job " << i << " of " << count;
      }
    }
  });
}

// RFC 3711 section 4.1.1: 2^16 blocks under one counter block, and no carry beyond.
TEST_F(IpsecMbEngineTest, CryptGivesTheSameBytesUpToTheLastBlockOfTheCounter) {
  ForEachLevel([this](CryptoEngine& engine) {
    const Bytes key = RandomBytes(16);
    Bytes counter_block(kCounterBlockSize, 0xFF);
    counter_block[14] = counter_block[15] = 0;
    const std::unique_ptr<CounterModeKey> engine_key = engine.MakeCounterModeKey();
    const std::unique_ptr<CounterModeKey> reference_key = reference_.MakeCounterModeKey();
    engine_key->Set(key);
    reference_key->Set(key);
    Bytes data(size_t{1} << 20), expected(size_t{1} << 20);
    const CounterModeJob job{engine_key.get(), counter_block.data(), data.data(), data.size()};
    const CounterModeJob reference_job{reference_key.get(), counter_block.data(), expected.data(),
                                       expected.size()};
    engine.Crypt(absl::MakeConstSpan(&job, 1));
    reference_.Crypt(absl::MakeConstSpan(&reference_job, 1));
    ASSERT_TRUE(data == expected);
  });
}

struct MacCase {
  Bytes storage;
  size_t offset;
  Guarded mac;
  std::array<uint8_t, kMacSize> expected;
  std::unique_ptr<HmacSha1Key> key;
  std::unique_ptr<HmacSha1Key> reference_key;
};

TEST_F(IpsecMbEngineTest, AuthenticateGivesTheSameBytes) {
  ForEachLevel([this](CryptoEngine& engine) {
    for (int round = 0; round < 150; ++round) {
      std::vector<MacCase> cases;
      const size_t count = 1 + Below(kMaxJobs);
      const size_t same_size = 1 + RandomSize();
      for (size_t i = 0; i < count; ++i) {
        const size_t offset = Below(64);
        const size_t size = round % 3 == 0 ? same_size : 1 + RandomSize();
        cases.push_back({RandomBytes(offset + size),
                         offset,
                         Guarded(Bytes(kMacSize), Below(16)),
                         {},
                         engine.MakeHmacSha1Key(),
                         reference_.MakeHmacSha1Key()});
        const Bytes key = RandomBytes(kMacKeySize);
        cases.back().key->Set(key);
        cases.back().reference_key->Set(key);
      }
      std::vector<MacJob> jobs, reference_jobs;
      for (MacCase& c : cases) {
        const uint8_t* data = c.storage.data() + c.offset;
        const size_t size = c.storage.size() - c.offset;
        jobs.push_back({c.key.get(), data, size, c.mac.data()});
        reference_jobs.push_back({c.reference_key.get(), data, size, c.expected.data()});
      }
      engine.Authenticate(jobs);
      reference_.Authenticate(reference_jobs);
      for (size_t i = 0; i < count; ++i) {
        ASSERT_THAT(cases[i].mac.bytes(), ElementsAreArray(cases[i].expected))
            << "job " << i << " of " << count;
        ASSERT_TRUE(cases[i].mac.GuardsStand()) << "job " << i << " of " << count;
      }
    }
  });
}

TEST_F(IpsecMbEngineTest, AuthenticateGivesTheSameBytesAtEverySize) {
  ForEachLevel([this](CryptoEngine& engine) {
    const Bytes key = RandomBytes(kMacKeySize);
    const std::unique_ptr<HmacSha1Key> engine_key = engine.MakeHmacSha1Key();
    const std::unique_ptr<HmacSha1Key> reference_key = reference_.MakeHmacSha1Key();
    engine_key->Set(key);
    reference_key->Set(key);
    const Bytes data = RandomBytes(kMaxMacDataSize);
    std::vector<size_t> sizes = {kMaxMacDataSize - 1, kMaxMacDataSize};
    for (size_t size = 1; size <= kMaxPayload; ++size) {
      sizes.push_back(size);
    }
    std::vector<std::array<uint8_t, kMacSize>> macs(sizes.size()), expected(sizes.size());
    std::vector<MacJob> jobs, reference_jobs;
    for (size_t i = 0; i < sizes.size(); ++i) {
      jobs.push_back({engine_key.get(), data.data(), sizes[i], macs[i].data()});
      reference_jobs.push_back({reference_key.get(), data.data(), sizes[i], expected[i].data()});
    }
    // All at once in lanes, then one at a time.
    engine.Authenticate(jobs);
    reference_.Authenticate(reference_jobs);
    ASSERT_TRUE(macs == expected);
    for (size_t i = 0; i < jobs.size(); ++i) {
      macs[i].fill(0);
      engine.Authenticate(absl::MakeConstSpan(&jobs[i], 1));
      ASSERT_EQ(macs[i], expected[i]) << sizes[i];
    }
  });
}

TEST_F(IpsecMbEngineTest, SealAndOpenGiveTheSameBytes) {
  ForEachLevel([this](CryptoEngine& engine) {
    const std::unique_ptr<GcmKey> engine_key = engine.MakeGcmKey();
    const std::unique_ptr<GcmKey> reference_key = reference_.MakeGcmKey();
    for (int round = 0; round < 1000; ++round) {
      const Bytes key = RandomBytes(round % 2 == 0 ? 16 : 32);
      engine_key->Set(key);
      reference_key->Set(key);
      const Bytes iv = RandomBytes(kCounterBlockSize);
      const Bytes associated = RandomBytes(Below(81));
      const Bytes plain = RandomBytes(round % 20 == 0 ? 0 : RandomSize());
      Guarded data(plain, Below(64)), tag(Bytes(kGcmTagSize), Below(16));
      Bytes expected = plain, expected_tag(kGcmTagSize);
      const GcmJob job{engine_key.get(), iv.data(),   associated.data(), associated.size(),
                       data.data(),      data.size(), tag.data()};
      engine.Seal(job);
      reference_.Seal({reference_key.get(), iv.data(), associated.data(), associated.size(),
                       expected.data(), expected.size(), expected_tag.data()});
      ASSERT_EQ(data.bytes(), expected) << "round " << round;
      ASSERT_EQ(tag.bytes(), expected_tag) << "round " << round;
      ASSERT_TRUE(engine.Open(job)) << "round " << round;
      ASSERT_EQ(data.bytes(), plain) << "round " << round;
      ASSERT_EQ(tag.bytes(), expected_tag) << "round " << round;
      ASSERT_TRUE(data.GuardsStand() && tag.GuardsStand()) << "round " << round;
    }
  });
}

TEST_F(IpsecMbEngineTest, AnyDamageFailsAndWipesTheData) {
  ForEachLevel([this](CryptoEngine& engine) {
    const std::unique_ptr<GcmKey> key = engine.MakeGcmKey();
    for (const size_t size : {0, 1, 100, 1000}) {
      key->Set(RandomBytes(size == 100 ? 32 : 16));
      Bytes iv = RandomBytes(kCounterBlockSize);
      Bytes associated = RandomBytes(28);
      Guarded sealed(RandomBytes(size), 5), tag(Bytes(kGcmTagSize), 3);
      engine.Seal({key.get(), iv.data(), associated.data(), associated.size(), sealed.data(), size,
                   tag.data()});
      const auto expect_refused = [&](uint8_t& damaged) {
        damaged ^= static_cast<uint8_t>(1u << Below(8));
        Guarded data(sealed.bytes(), 5);
        const Bytes tag_before = tag.bytes();
        EXPECT_FALSE(engine.Open({key.get(), iv.data(), associated.data(), associated.size(),
                                  data.data(), size, tag.data()}));
        EXPECT_EQ(data.bytes(), Bytes(size));
        EXPECT_EQ(tag.bytes(), tag_before);
        EXPECT_TRUE(data.GuardsStand());
      };
      for (Bytes* part : {&iv, &associated}) {
        for (size_t i = 0; i < (part == &iv ? kGcmIvSize : part->size()); ++i) {
          const uint8_t before = (*part)[i];
          expect_refused((*part)[i]);
          (*part)[i] = before;
        }
      }
      for (Guarded* part : {&sealed, &tag}) {
        for (size_t i = 0; i < part->size(); ++i) {
          const uint8_t before = part->data()[i];
          expect_refused(part->data()[i]);
          part->data()[i] = before;
        }
      }
      EXPECT_TRUE(engine.Open({key.get(), iv.data(), associated.data(), associated.size(),
                               sealed.data(), size, tag.data()}));
    }
  });
}

// Keys are made by one thread's engine and used by another's.
TEST_F(IpsecMbEngineTest, KeysWorkWithAnotherEngineOfTheSameCpu) {
  const CpuFeatures features = DetectCpuFeatures();
  if (!HighestIpsecMbLevel(features).ok()) return;
  const std::unique_ptr<IpsecMbEngine> maker = *IpsecMbEngine::Create(features);
  const std::unique_ptr<IpsecMbEngine> user = *IpsecMbEngine::Create(features);
  const std::unique_ptr<GcmKey> key = maker->MakeGcmKey();
  key->Set(RandomBytes(16));
  const Bytes iv = RandomBytes(kCounterBlockSize);
  const Bytes plain = RandomBytes(1000);
  Bytes data = plain, tag(kGcmTagSize);
  const GcmJob job{key.get(),   iv.data(),   iv.data(), iv.size(),
                   data.data(), data.size(), tag.data()};
  maker->Seal(job);
  EXPECT_TRUE(user->Open(job));
  EXPECT_EQ(data, plain);
}

TEST_F(IpsecMbEngineTest, NothingToDoIsFine) {
  ForEachLevel([](CryptoEngine& engine) {
    engine.Crypt({});
    engine.Authenticate({});
    const std::unique_ptr<CounterModeKey> key = engine.MakeCounterModeKey();
    key->Set(Bytes(16));
    const Bytes counter_block(kCounterBlockSize);
    const std::vector<CounterModeJob> empty(kMaxJobs,
                                            {key.get(), counter_block.data(), nullptr, 0});
    engine.Crypt(empty);
  });
}

TEST_F(IpsecMbEngineTest, KeyThatWasNeverSetEncryptsNothing) {
  ForEachLevel([](CryptoEngine& engine) {
    const std::unique_ptr<CounterModeKey> key = engine.MakeCounterModeKey();
    const Bytes counter_block(kCounterBlockSize);
    Bytes data(10);
    const CounterModeJob job{key.get(), counter_block.data(), data.data(), data.size()};
    EXPECT_DEATH(engine.Crypt(absl::MakeConstSpan(&job, 1)), "never set");
  });
}

}  // namespace
}  // namespace sluice
