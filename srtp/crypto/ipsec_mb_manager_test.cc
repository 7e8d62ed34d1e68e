#include "srtp/crypto/ipsec_mb_manager.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/crypto/cpu_features.h"

namespace sluice {
namespace {

using ::testing::HasSubstr;

CpuFeatures All() {
  return DecodeCpuFeatures({0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF});
}

IpsecMbLevel LevelWithout(bool CpuFeatures::*feature) {
  CpuFeatures features = All();
  features.*feature = false;
  return *HighestIpsecMbLevel(features);
}

TEST(IpsecMbManagerTest, LevelIsTheHighestThatTheCpuCanRun) {
  EXPECT_EQ(*HighestIpsecMbLevel(All()), IpsecMbLevel::kAvx512);
  EXPECT_EQ(LevelWithout(&CpuFeatures::avx512), IpsecMbLevel::kAvx2);
  EXPECT_EQ(LevelWithout(&CpuFeatures::avx2), IpsecMbLevel::kSse);
  EXPECT_EQ(LevelWithout(&CpuFeatures::avx), IpsecMbLevel::kSse);
  EXPECT_EQ(LevelWithout(&CpuFeatures::bmi2), IpsecMbLevel::kSse);
  EXPECT_EQ(LevelWithout(&CpuFeatures::sha), IpsecMbLevel::kAvx512);
  EXPECT_EQ(LevelWithout(&CpuFeatures::vaes), IpsecMbLevel::kAvx512);
}

// The instructions would fault, or another thread's keys would be in the registers.
TEST(IpsecMbManagerTest, WhatTheOperatingSystemDoesNotSaveIsNotUsed) {
  EXPECT_EQ(LevelWithout(&CpuFeatures::os_saves_avx512), IpsecMbLevel::kAvx2);
  EXPECT_EQ(LevelWithout(&CpuFeatures::os_saves_avx), IpsecMbLevel::kSse);
}

TEST(IpsecMbManagerTest, OldCpuIsToldWhatItLacks) {
  for (const auto& [member, name] :
       {std::pair{&CpuFeatures::sse42, "SSE4.2"}, std::pair{&CpuFeatures::aes, "AES"},
        std::pair{&CpuFeatures::pclmulqdq, "PCLMULQDQ"}}) {
    CpuFeatures features = All();
    features.*member = false;
    const absl::Status status = HighestIpsecMbLevel(features).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(std::string(status.message()), HasSubstr(name));
  }
  EXPECT_THAT(std::string(HighestIpsecMbLevel({}).status().message()),
              HasSubstr("SSE4.2, AES, PCLMULQDQ"));
}

TEST(IpsecMbManagerTest, EveryLevelOfThisCpuCanBeMade) {
  const CpuFeatures features = DetectCpuFeatures();
  const absl::StatusOr<IpsecMbLevel> highest = HighestIpsecMbLevel(features);
  for (const IpsecMbLevel level :
       {IpsecMbLevel::kSse, IpsecMbLevel::kAvx2, IpsecMbLevel::kAvx512}) {
    if (!highest.ok() || level > *highest) continue;
    const absl::StatusOr<IpsecMbManager> manager = MakeIpsecMbManager(level, features);
    ASSERT_TRUE(manager.ok()) << manager.status();
    EXPECT_NE((*manager)->features & IMB_FEATURE_SAFE_DATA, 0u) << "secrets are left in registers";
    EXPECT_EQ(((*manager)->features & IMB_FEATURE_SHANI) != 0, features.sha);
  }
}

TEST(IpsecMbManagerTest, WhatIsNotNamedIsNotUsed) {
  CpuFeatures features = DetectCpuFeatures();
  const absl::StatusOr<IpsecMbLevel> highest = HighestIpsecMbLevel(features);
  if (!highest.ok()) return;
  features.sha = false;
  features.vaes = false;
  const absl::StatusOr<IpsecMbManager> manager = MakeIpsecMbManager(*highest, features);
  ASSERT_TRUE(manager.ok()) << manager.status();
  EXPECT_EQ((*manager)->features & (IMB_FEATURE_SHANI | IMB_FEATURE_GFNI), 0u);
}

// A wrong word of ours must not make the process fault.
TEST(IpsecMbManagerTest, LevelThatTheCpuCannotRunIsRefused) {
  const absl::StatusOr<IpsecMbLevel> highest = HighestIpsecMbLevel(DetectCpuFeatures());
  for (const IpsecMbLevel level :
       {IpsecMbLevel::kSse, IpsecMbLevel::kAvx2, IpsecMbLevel::kAvx512}) {
    const absl::Status status = MakeIpsecMbManager(level, All()).status();
    if (highest.ok() && level <= *highest) {
      EXPECT_EQ(status, absl::OkStatus());
    } else {
      EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
      EXPECT_THAT(std::string(status.message()), HasSubstr(IpsecMbLevelName(level)));
    }
  }
}

TEST(IpsecMbManagerTest, EveryLevelHasAName) {
  EXPECT_EQ(IpsecMbLevelName(IpsecMbLevel::kSse), "sse");
  EXPECT_EQ(IpsecMbLevelName(IpsecMbLevel::kAvx2), "avx2");
  EXPECT_EQ(IpsecMbLevelName(IpsecMbLevel::kAvx512), "avx512");
}

}  // namespace
}  // namespace sluice
