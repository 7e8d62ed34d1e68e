#include "tools/ctl/transport_text.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::HasSubstr;

TEST(TransportTextTest, ReadsWhatItWrites) {
  for (const char* text : {"192.0.2.1:5004", "[2001:db8::1]:5004", "[::1]:65535", "0.0.0.0:1"}) {
    const auto address = ParseTransportAddress(text);
    ASSERT_TRUE(address.ok()) << address.status();
    EXPECT_EQ(FormatTransportAddress(*address), text);
  }
  EXPECT_EQ(FormatTransportAddress({}), "-");
}

TEST(TransportTextTest, SaysWhatIsWrong) {
  const struct {
    const char* text;
    const char* reason;
  } kCases[] = {
      {"", "not ADDRESS:PORT"},
      {"192.0.2.1", "not ADDRESS:PORT"},
      {":5004", "not ADDRESS:PORT"},
      {"[]:5004", "not ADDRESS:PORT"},
      {"2001:db8::1:5004", "not ADDRESS:PORT"},
      {"[192.0.2.1]:5004", "not ADDRESS:PORT"},
      {"192.0.2.1:", "not a port"},
      {"192.0.2.1:0", "not a port"},
      {"192.0.2.1:65536", "not a port"},
      {"192.0.2.1:-1", "not a port"},
      {"192.0.2.256:5004", "not an IP address"},
      {"example.com:5004", "not an IP address"},
  };
  for (const auto& c : kCases) {
    const auto address = ParseTransportAddress(c.text);
    ASSERT_FALSE(address.ok()) << c.text;
    EXPECT_THAT(std::string(address.status().message()), HasSubstr(c.reason)) << c.text;
  }
}

TEST(TransportTextTest, KnowsLoopback) {
  for (const char* host : {"127.0.0.1", "127.9.9.9", "::1", "localhost"}) {
    EXPECT_TRUE(IsLoopbackHost(host)) << host;
  }
  for (const char* host : {"128.0.0.1", "::2", "0.0.0.0", "localhost.example.com", "127.0.0.1.x"}) {
    EXPECT_FALSE(IsLoopbackHost(host)) << host;
  }
}

TEST(TransportTextTest, TheGatewayMayHaveAName) {
  const auto address = SplitHostPort("gateway.example.com:7443");
  ASSERT_TRUE(address.ok());
  EXPECT_EQ(address->ip(), "gateway.example.com");
  EXPECT_EQ(address->port(), 7443u);
}

}  // namespace
}  // namespace sluice
