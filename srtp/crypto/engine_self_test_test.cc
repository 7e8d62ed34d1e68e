#include "srtp/crypto/engine_self_test.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/crypto/boringssl_engine.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/crypto/mac_plan.h"
#include "srtp/crypto/testing/every_engine.h"

namespace sluice {
namespace {

using ::testing::HasSubstr;

// BoringSSL with one fault, as a CPU or a compiler might have it.
class FaultyEngine : public CryptoEngine {
 public:
  enum class Fault {
    kNone,
    kCryptsOnlyTheFirst,
    kCryptsNoPartialBlock,
    kMacOfTheSeventeenthIsWrong,
    kLastByteOfMacIsWrong,
    kSealsWithoutAssociatedData,
    kTagIsCutOff,
    kOpensAnything,
    kOpensNothing,
    kLeavesForgedData,
  };

  explicit FaultyEngine(Fault fault) : fault_(fault) {}

  EngineKind kind() const override { return EngineKind::kBoringSsl; }
  std::unique_ptr<CounterModeKey> MakeCounterModeKey() override {
    return right_.MakeCounterModeKey();
  }
  std::unique_ptr<HmacSha1Key> MakeHmacSha1Key() override { return right_.MakeHmacSha1Key(); }
  std::unique_ptr<GcmKey> MakeGcmKey() override { return right_.MakeGcmKey(); }

  void Crypt(absl::Span<const CounterModeJob> jobs) override {
    if (fault_ == Fault::kCryptsOnlyTheFirst) jobs = jobs.first(1);
    std::vector<CounterModeJob> changed(jobs.begin(), jobs.end());
    for (CounterModeJob& job : changed) {
      if (fault_ == Fault::kCryptsNoPartialBlock) job.size -= job.size % 16;
    }
    right_.Crypt(changed);
  }
  void Authenticate(absl::Span<const MacJob> jobs) override {
    right_.Authenticate(jobs);
    if (fault_ == Fault::kMacOfTheSeventeenthIsWrong && jobs.size() > 16) jobs[16].mac[0] ^= 1;
    if (fault_ == Fault::kLastByteOfMacIsWrong) jobs[0].mac[kMacSize - 1] ^= 0x80;
  }
  void Seal(const GcmJob& job) override {
    GcmJob changed = job;
    if (fault_ == Fault::kSealsWithoutAssociatedData) changed.associated_size = 0;
    right_.Seal(changed);
    if (fault_ == Fault::kTagIsCutOff) job.tag[kGcmTagSize - 1] = 0;
  }
  bool Open(const GcmJob& job) override {
    const std::vector<uint8_t> before(job.data, job.data + job.size);
    const bool opened = right_.Open(job);
    if (!opened && fault_ == Fault::kLeavesForgedData) {
      for (size_t i = 0; i < job.size; ++i) {
        job.data[i] = before[i];
      }
    }
    if (fault_ == Fault::kOpensAnything) return true;
    return opened && fault_ != Fault::kOpensNothing;
  }

 private:
  const Fault fault_;
  BoringSslEngine right_;
};

TEST(EngineSelfTest, EveryEngineOfThisMachinePasses) {
  for (const NamedEngine& named : EveryEngine()) {
    EXPECT_EQ(SelfTestEngine(*named.engine), absl::OkStatus()) << named.name;
  }
}

TEST(EngineSelfTest, NamesTheVectorThatAFaultyEngineGetsWrong) {
  using Fault = FaultyEngine::Fault;
  struct Case {
    Fault fault;
    std::string name;
  };
  const Case cases[] = {
      {Fault::kCryptsOnlyTheFirst, "counter mode"},
      {Fault::kCryptsNoPartialBlock, "counter mode"},
      {Fault::kMacOfTheSeventeenthIsWrong, "HMAC-SHA1, RFC 2202 section 3, case 1: job 17 of 19"},
      {Fault::kLastByteOfMacIsWrong, "HMAC-SHA1, RFC 2202 section 3, case 1: job 1 of 1"},
      {Fault::kSealsWithoutAssociatedData, "AES-128-GCM, RFC 7714 section 16.1.1, sealing"},
      {Fault::kTagIsCutOff, "AES-128-GCM, RFC 7714 section 16.1.1, sealing"},
      {Fault::kOpensAnything, "a false tag"},
      {Fault::kOpensNothing, "opening"},
      {Fault::kLeavesForgedData, "a false tag"},
  };
  FaultyEngine right(Fault::kNone);
  EXPECT_EQ(SelfTestEngine(right), absl::OkStatus());
  for (const Case& c : cases) {
    FaultyEngine engine(c.fault);
    const absl::Status status = SelfTestEngine(engine);
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << c.name;
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.name));
  }
}

// The longest vector has 73 bytes. Were it not worth the lanes, they would go untested.
TEST(EngineSelfTest, LongestVectorIsComputedInLanes) {
  const std::vector<MacJob> jobs(19, {nullptr, nullptr, 73, nullptr});
  for (const MacCosts& costs : {kIntelMacCosts, kAmdMacCosts}) {
    EXPECT_GE(PlanMacs(jobs, costs).in_lanes, kMacLanes);
  }
}

}  // namespace
}  // namespace sluice
