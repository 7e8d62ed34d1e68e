#ifndef TESTS_E2E_GATEWAY_FIXTURE_H_
#define TESTS_E2E_GATEWAY_FIXTURE_H_

#include <memory>
#include <optional>
#include <utility>

#include "gtest/gtest.h"
#include "tests/e2e/control_client.h"
#include "tests/e2e/gateway_process.h"

namespace sluice {

// A test with a gateway of its own. Afterwards the gateway must stop as told, with exit code 0;
// when the test failed, its log and the statistics of its sessions are shown.
class GatewayFixture : public ::testing::Test {
 protected:
  explicit GatewayFixture(GatewayOptions options = {}) : options_(std::move(options)) {}

  void SetUp() override;
  void TearDown() override;

  // Another gateway in the place of the first, which has ended, with the options of now.
  void Restart();

  // To be changed, if at all, before SetUp or Restart.
  GatewayOptions& options() { return options_; }
  GatewayProcess& gateway() { return *gateway_; }
  ControlClient& control() { return *control_; }

 private:
  void ShowWhatHappened();

  GatewayOptions options_;
  std::unique_ptr<GatewayProcess> gateway_;
  std::optional<ControlClient> control_;
};

}  // namespace sluice

#endif  // TESTS_E2E_GATEWAY_FIXTURE_H_
