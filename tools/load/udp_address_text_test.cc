#include "tools/load/udp_address_text.h"

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(UdpAddressTextTest, ReadsWhatItWrites) {
  for (const std::string text : {"127.0.0.1:4433", "0.0.0.0:0", "[::1]:65535", "[2001:db8::7]:1"}) {
    const absl::StatusOr<UdpAddress> address = ParseUdpAddress(text);
    ASSERT_TRUE(address.ok()) << address.status();
    EXPECT_EQ(ToText(*address), text);
  }
  EXPECT_EQ(*ParseUdpAddress("127.0.0.1:4433"), UdpAddress::V4({127, 0, 0, 1}, 4433));
}

TEST(UdpAddressTextTest, RefusesAnythingElse) {
  for (const std::string text : {"", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "host:1",
                                 "::1:4433", "[::1:4433", "[127.0.0.1]:1", "127.0.0.1:-1"}) {
    EXPECT_EQ(ParseUdpAddress(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace sluice
