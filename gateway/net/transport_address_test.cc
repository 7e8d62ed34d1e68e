#include "gateway/net/transport_address.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

std::string RoundTrip(absl::string_view text) {
  const absl::StatusOr<IpAddress> ip = IpAddress::Parse(text);
  return ip.ok() ? ip->ToString() : "error";
}

TEST(IpAddressTest, ParsesAndWritesTheCanonicalForm) {
  const struct {
    absl::string_view text;
    absl::string_view canonical;
  } kTable[] = {
      {"192.0.2.1", "192.0.2.1"},
      {"0.0.0.0", "0.0.0.0"},
      {"255.255.255.255", "255.255.255.255"},
      {"::", "::"},
      {"::1", "::1"},
      {"2001:DB8:0:0:0:0:0:1", "2001:db8::1"},
      {"2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"},
      {"fe80::1", "fe80::1"},
      {"::ffff:192.0.2.1", "192.0.2.1"},
      {"::ffff:c000:201", "192.0.2.1"},
  };
  for (const auto& row : kTable) {
    EXPECT_EQ(RoundTrip(row.text), row.canonical) << row.text;
  }
}

TEST(IpAddressTest, RefusesWhatIsNoAddress) {
  for (const absl::string_view text :
       {"", " ", "192.0.2", "192.0.2.256", "192.0.2.1 ", "192.0.2.1:5004", "192.0.2.01x",
        "[2001:db8::1]", "2001:db8::1::2", "example.org", "::1%lo", "192.0.2.1%lo", "fe80::1%",
        "fe80::1%no-such-interface", "%", "1"}) {
    EXPECT_EQ(IpAddress::Parse(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
  EXPECT_FALSE(IpAddress::Parse(absl::string_view("192.0.2.1\0", 10)).ok());
  EXPECT_FALSE(IpAddress::Parse(std::string(100'000, '1')).ok());
}

TEST(IpAddressTest, AMappedAddressIsTheIpv4Address) {
  const IpAddress mapped =
      IpAddress::V6({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 192, 0, 2, 1}, 3);
  EXPECT_EQ(mapped, IpAddress::V4({192, 0, 2, 1}));
  EXPECT_EQ(mapped.family(), IpFamily::kIpv4);
  EXPECT_EQ(mapped.scope_id(), 0u);
}

TEST(IpAddressTest, OnlyLinkLocalAddressesHaveAScope) {
  const std::array<uint8_t, 16> link_local = {0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  EXPECT_EQ(IpAddress::V6(link_local, 7).scope_id(), 7u);
  EXPECT_NE(IpAddress::V6(link_local, 7), IpAddress::V6(link_local, 8));
  std::array<uint8_t, 16> global = link_local;
  global[0] = 0x20;
  EXPECT_EQ(IpAddress::V6(global, 7).scope_id(), 0u);
}

TEST(IpAddressTest, KnowsLoopbackUnspecifiedAndMulticast) {
  const struct {
    absl::string_view text;
    bool loopback;
    bool unspecified;
    bool multicast;
  } kTable[] = {
      {"127.0.0.1", true, false, false},
      {"127.255.0.9", true, false, false},
      {"128.0.0.1", false, false, false},
      {"0.0.0.0", false, true, false},
      {"0.0.0.1", false, false, false},
      {"224.0.0.1", false, false, true},
      {"239.1.2.3", false, false, true},
      {"240.0.0.1", false, false, false},
      {"::1", true, false, false},
      {"::", false, true, false},
      {"ff02::1", false, false, true},
      {"2001:db8::1", false, false, false},
      {"::ffff:127.0.0.1", true, false, false},
  };
  for (const auto& row : kTable) {
    const absl::StatusOr<IpAddress> ip = IpAddress::Parse(row.text);
    ASSERT_TRUE(ip.ok()) << row.text;
    EXPECT_EQ(ip->IsLoopback(), row.loopback) << row.text;
    EXPECT_EQ(ip->IsUnspecified(), row.unspecified) << row.text;
    EXPECT_EQ(ip->IsMulticast(), row.multicast) << row.text;
  }
}

TEST(TransportAddressTest, WritesBracketsAroundIpv6Only) {
  EXPECT_EQ((TransportAddress{IpAddress::V4({192, 0, 2, 1}), 5004}).ToString(), "192.0.2.1:5004");
  const absl::StatusOr<IpAddress> v6 = IpAddress::Parse("2001:db8::1");
  ASSERT_TRUE(v6.ok());
  EXPECT_EQ((TransportAddress{*v6, 5004}).ToString(), "[2001:db8::1]:5004");
}

TEST(TransportAddressTest, ADifferentPortIsAnotherAddress) {
  const TransportAddress a{IpAddress::V4({192, 0, 2, 1}), 5004};
  TransportAddress b = a;
  EXPECT_EQ(a, b);
  b.port = 5006;
  EXPECT_NE(a, b);
}

}  // namespace
}  // namespace sluice
