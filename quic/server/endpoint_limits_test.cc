#include "quic/server/endpoint_limits.h"

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(EndpointLimitsTest, ThoseThatStandThereAreGood) {
  EXPECT_EQ(CheckEndpointLimits({}), absl::OkStatus());
}

TEST(EndpointLimitsTest, SaysWhichIsWrong) {
  EXPECT_EQ(CheckEndpointLimits({.max_connections = 0}).message(),
            "max_connections is 0, not 1 to 1048576");
  EXPECT_EQ(CheckEndpointLimits({.max_half_open = 9000}).message(),
            "max_half_open is 9000, not 1 to 8192");
  EXPECT_EQ(CheckEndpointLimits({.max_half_open = 8, .retry_above_half_open = 9}).message(),
            "retry_above_half_open is 9, not 0 to 8");
  EXPECT_EQ(CheckEndpointLimits({.send_blocks = 0}).message(),
            "send_blocks is 0, not 1 to 1048576");
}

}  // namespace
}  // namespace sluice
