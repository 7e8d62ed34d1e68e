#include "srtp/crypto/testing/every_engine.h"

#include <vector>

#include "gtest/gtest.h"
#include "srtp/crypto/cpu_features.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/crypto/engine_choice.h"

namespace sluice {
namespace {

// Or the tests of the others would test nothing.
TEST(EveryEngineTest, HasAllThatThisMachineCanUse) {
  const std::vector<EngineKind> usable = UsableEngines(DetectCpuFeatures());
  const std::vector<NamedEngine> engines = EveryEngine();
  EXPECT_EQ(engines.front().engine->kind(), EngineKind::kBoringSsl);
  // Seven sets of features.
  EXPECT_EQ(engines.size(), usable.size() == 1 ? 1u : 8u);
  EXPECT_EQ(EveryIpsecMbEngine().size(), engines.size() - 1);
}

}  // namespace
}  // namespace sluice
