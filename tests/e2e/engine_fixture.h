#ifndef TESTS_E2E_ENGINE_FIXTURE_H_
#define TESTS_E2E_ENGINE_FIXTURE_H_

#include <string>

#include "srtp/crypto/crypto_engine.h"
#include "tests/e2e/gateway_fixture.h"

namespace sluice {

// A test with a gateway that is told which crypto engine to use. Where this machine cannot run it,
// the gateway must refuse to start and say why, and that is all that there is to test: the body of
// the test then begins with `if (!runs()) return;`.
class EngineFixture : public GatewayFixture {
 protected:
  explicit EngineFixture(EngineKind engine, GatewayOptions options = {});

  void SetUp() override;

  bool runs() const { return runs_; }

 private:
  const EngineKind engine_;
  const bool runs_;
};

// For the names of tests.
std::string EngineTestName(EngineKind engine);

}  // namespace sluice

#endif  // TESTS_E2E_ENGINE_FIXTURE_H_
