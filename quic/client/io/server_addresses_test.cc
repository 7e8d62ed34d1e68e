#include "quic/client/io/server_addresses.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "quic/connection/udp_path.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const UdpAddress kV6 = UdpAddress::V6({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 7445);

TEST(ServerAddressesTest, NamesAndLiteralsAreTargets) {
  EXPECT_EQ(*ParseServerTarget("gw.example:7445"), (ServerTarget{"gw.example", 7445}));
  EXPECT_EQ(*ParseServerTarget("quic://gw.example:1"), (ServerTarget{"gw.example", 1}));
  EXPECT_EQ(*ParseServerTarget("192.0.2.1:65535"), (ServerTarget{"192.0.2.1", 65535}));
  EXPECT_EQ(*ParseServerTarget("quic://[::1]:7445"), (ServerTarget{"::1", 7445}));
}

TEST(ServerAddressesTest, OtherTextsAreNamedInTheError) {
  for (const char* text :
       {"", "gw", "gw:", ":7445", "gw:0", "gw:65536", "gw:+1", "gw: 1", "gw:x", "::1:7445", "[::1]",
        "[::1:7445", "::1]:7445", "[gw]:7445", "[192.0.2.1]:1", "g w:1", "http://gw:1", "gw/x:1"}) {
    const auto target = ParseServerTarget(text);
    EXPECT_TRUE(absl::IsInvalidArgument(target.status())) << text;
    EXPECT_THAT(target.status().message(), HasSubstr(text));
  }
}

TEST(ServerAddressesTest, TheCertificateNamesTheHostOrLocalhost) {
  EXPECT_EQ(CertificateNameOf({"gw.example", 1}), "gw.example");
  EXPECT_EQ(CertificateNameOf({"127.0.0.1", 1}), "localhost");
  EXPECT_EQ(CertificateNameOf({"127.9.9.9", 1}), "localhost");
  EXPECT_EQ(CertificateNameOf({"::1", 1}), "localhost");
  EXPECT_EQ(CertificateNameOf({"192.0.2.1", 1}), "192.0.2.1");
  EXPECT_EQ(CertificateNameOf({"2001:db8::1", 1}), "2001:db8::1");
}

TEST(ServerAddressesTest, LiteralsNeedNobodyToResolveThem) {
  EXPECT_THAT(*ResolveServer({"192.0.2.1", 443}), ElementsAre(UdpAddress::V4({192, 0, 2, 1}, 443)));
  EXPECT_THAT(*ResolveServer({"::1", 7445}), ElementsAre(kV6));
}

TEST(ServerAddressesTest, LocalhostIsResolvedBySystem) {
  const auto addresses = ResolveServer({"localhost", 7445});
  ASSERT_TRUE(addresses.ok()) << addresses.status();
  EXPECT_THAT(*addresses, Not(IsEmpty()));
  for (const UdpAddress& address : *addresses) {
    EXPECT_EQ(address.port(), 7445);
    EXPECT_EQ(CertificateNameOf({"localhost", 7445}), "localhost");
  }
}

TEST(ServerAddressesTest, LoopbackIsReachedFromLoopback) {
  EXPECT_EQ(*LocalAddressTowards(UdpAddress::V4({127, 0, 0, 1}, 443)),
            UdpAddress::V4({127, 0, 0, 1}, 0));
}

TEST(ServerAddressesTest, AddressesPrintAsTheyAreWritten) {
  EXPECT_EQ(FormatUdpAddress(UdpAddress::V4({192, 0, 2, 1}, 443)), "192.0.2.1:443");
  EXPECT_EQ(FormatUdpAddress(kV6), "[::1]:7445");
}

}  // namespace
}  // namespace sluice
