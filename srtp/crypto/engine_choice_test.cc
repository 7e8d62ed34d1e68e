#include "srtp/crypto/engine_choice.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/crypto/cpu_features.h"
#include "srtp/crypto/crypto_engine.h"

namespace sluice {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Whether the CPU of this machine runs intel-ipsec-mb at its lowest level.
bool RunsIpsecMb(const CpuFeatures& features) {
  return features.sse42 && features.aes && features.pclmulqdq;
}

TEST(EngineChoiceTest, NamesAreThoseThatCanBeAskedFor) {
  EXPECT_EQ(EngineName(EngineKind::kBoringSsl), "boringssl");
  EXPECT_EQ(EngineName(EngineKind::kIpsecMb), "ipsec_mb");
  EXPECT_EQ(*ParseEngineRequest(EngineName(EngineKind::kBoringSsl)), EngineRequest::kBoringSsl);
  EXPECT_EQ(*ParseEngineRequest(EngineName(EngineKind::kIpsecMb)), EngineRequest::kIpsecMb);
  EXPECT_EQ(*ParseEngineRequest("auto"), EngineRequest::kAuto);
}

TEST(EngineChoiceTest, WrongNameIsToldTheRightOnes) {
  for (const std::string text : {"", "openssl", "AUTO", "ipsec-mb", "auto "}) {
    const absl::Status status = ParseEngineRequest(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr("\"" + text + "\""), HasSubstr("auto, boringssl, ipsec_mb")));
  }
}

TEST(EngineChoiceTest, AutoIsTheFastOneWhereItRuns) {
  const CpuFeatures features = DetectCpuFeatures();
  EXPECT_EQ(*ChooseEngine(EngineRequest::kAuto, features),
            RunsIpsecMb(features) ? EngineKind::kIpsecMb : EngineKind::kBoringSsl);
}

TEST(EngineChoiceTest, AutoIsBoringsslOnAnOldCpu) {
  EXPECT_EQ(*ChooseEngine(EngineRequest::kAuto, {}), EngineKind::kBoringSsl);
  EXPECT_THAT(UsableEngines({}), ElementsAre(EngineKind::kBoringSsl));
}

TEST(EngineChoiceTest, WhatIsAskedForByNameIsGivenOrRefusedWithReasonAndAdvice) {
  EXPECT_EQ(*ChooseEngine(EngineRequest::kBoringSsl, DetectCpuFeatures()), EngineKind::kBoringSsl);
  const absl::Status status = ChooseEngine(EngineRequest::kIpsecMb, {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("ipsec_mb cannot be used"), HasSubstr("intel-ipsec-mb"),
                    HasSubstr("choose auto or boringssl")));
}

TEST(EngineChoiceTest, MakesWhatItAgreesTo) {
  const std::vector<EngineKind> kinds = UsableEngines(DetectCpuFeatures());
  EXPECT_THAT(kinds, Contains(EngineKind::kBoringSsl));
  EXPECT_EQ(kinds.front(), *ChooseEngine(EngineRequest::kAuto, DetectCpuFeatures()));
  for (const EngineKind kind : kinds) {
    EXPECT_EQ(MakeEngine(kind)->kind(), kind);
  }
}

}  // namespace
}  // namespace sluice
