#include "quic/server/source_shares.h"

#include "gtest/gtest.h"
#include "quic/connection/udp_path.h"

namespace sluice {
namespace {

UdpAddress V6(uint8_t network, uint8_t host) {
  return UdpAddress::V6({0x20, 1, 0xd, 0xb8, 0, 0, 0, network, 0, 0, 0, 0, 0, 0, 0, host}, 1);
}

TEST(SourceSharesTest, CountsByAddressWhateverThePort) {
  SourceShares shares(10);
  const UdpAddress a = UdpAddress::V4({192, 0, 2, 1}, 1);
  const UdpAddress a2 = UdpAddress::V4({192, 0, 2, 1}, 2);
  const UdpAddress b = UdpAddress::V4({192, 0, 2, 2}, 1);
  shares.Add(a);
  shares.Add(a2);
  shares.Add(b);
  EXPECT_EQ(shares.Of(a).connections, 2u);
  EXPECT_EQ(shares.Of(a).half_open, 2u);
  EXPECT_EQ(shares.Of(b).connections, 1u);
  shares.Complete(a2);
  EXPECT_EQ(shares.Of(a).half_open, 1u);
  shares.Remove(a2, false);
  shares.Remove(a, true);
  EXPECT_EQ(shares.Of(a).connections, 0u);
  EXPECT_EQ(shares.sources(), 1u) << "what is gone takes no room";
}

TEST(SourceSharesTest, AnIpv6NetworkIsOneSource) {
  SourceShares shares(10);
  shares.Add(V6(1, 1));
  shares.Add(V6(1, 2));
  EXPECT_EQ(shares.Of(V6(1, 3)).connections, 2u);
  EXPECT_EQ(shares.Of(V6(2, 1)).connections, 0u);
  EXPECT_EQ(shares.Of(UdpAddress::V4({0x20, 1, 0xd, 0xb8}, 1)).connections, 0u);
}

}  // namespace
}  // namespace sluice
