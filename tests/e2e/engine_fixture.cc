#include "tests/e2e/engine_fixture.h"

#include <memory>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "srtp/crypto/cpu_features.h"
#include "srtp/crypto/engine_choice.h"
#include "tests/e2e/gateway_process.h"

namespace sluice {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

GatewayOptions WithEngine(EngineKind engine, GatewayOptions options) {
  options.crypto_engine = std::string(EngineName(engine));
  return options;
}

}  // namespace

EngineFixture::EngineFixture(EngineKind engine, GatewayOptions options)
    : GatewayFixture(WithEngine(engine, std::move(options))),
      engine_(engine),
      runs_(absl::c_linear_search(UsableEngines(DetectCpuFeatures()), engine)) {}

void EngineFixture::SetUp() {
  if (runs_) {
    GatewayFixture::SetUp();
    EXPECT_EQ(control().GetNode().crypto_engine(), EngineName(engine_));
    return;
  }
  const absl::StatusOr<std::unique_ptr<GatewayProcess>> refused = GatewayProcess::Start(options());
  ASSERT_FALSE(refused.ok()) << "the gateway runs with an engine that this machine cannot run";
  EXPECT_THAT(std::string(refused.status().message()),
              AllOf(HasSubstr("--crypto-engine"), HasSubstr("cannot be used"),
                    HasSubstr("choose auto or boringssl")));
}

std::string EngineTestName(EngineKind engine) { return std::string(EngineName(engine)); }

}  // namespace sluice
