#include "quic/server/source_key.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>

#include "gtest/gtest.h"
#include "quic/connection/udp_path.h"

namespace sluice {
namespace {

SourceKey V6(uint8_t network, uint8_t host) {
  return SourceKey(
      UdpAddress::V6({0x20, 1, 0xd, 0xb8, 0, 0, 0, network, 0, 0, 0, 0, 0, 0, 0, host}, 1));
}

TEST(SourceKeyTest, AnIpv4AddressIsOneSourceWhateverThePort) {
  const SourceKey a(UdpAddress::V4({192, 0, 2, 1}, 1));
  EXPECT_EQ(a, SourceKey(UdpAddress::V4({192, 0, 2, 1}, 2)));
  EXPECT_EQ(a.hash(), SourceKey(UdpAddress::V4({192, 0, 2, 1}, 2)).hash());
  EXPECT_NE(a, SourceKey(UdpAddress::V4({192, 0, 2, 2}, 1)));
}

TEST(SourceKeyTest, AnIpv6NetworkIsOneSource) {
  EXPECT_EQ(V6(1, 1), V6(1, 2));
  EXPECT_EQ(V6(1, 1).hash(), V6(1, 2).hash());
  EXPECT_NE(V6(1, 1), V6(2, 1));
  EXPECT_NE(SourceKey(UdpAddress::V4({0x20, 1, 0xd, 0xb8}, 1)),
            SourceKey(UdpAddress::V6({0x20, 1, 0xd, 0xb8}, 1)));
}

TEST(SourceKeyTest, NeighboursDifferInTheLowBitsOfTheirHashes) {
  constexpr size_t kCounts = 1024;
  // 256 of 1024 by chance: about 226 different ones.
  constexpr size_t kDifferent = 200;
  for (size_t byte = 0; byte < 4; ++byte) {
    std::set<uint64_t> counts;
    for (int i = 0; i < 256; ++i) {
      std::array<uint8_t, 4> ip = {10, 0, 0, 1};
      ip[byte] = static_cast<uint8_t>(i);
      counts.insert(SourceKey(UdpAddress::V4(ip, 1)).hash() % kCounts);
    }
    EXPECT_GT(counts.size(), kDifferent) << "byte " << byte;
  }
  for (size_t byte = 0; byte < 8; ++byte) {
    std::set<uint64_t> counts;
    for (int i = 0; i < 256; ++i) {
      std::array<uint8_t, 16> ip = {0x20, 1, 0xd, 0xb8};
      ip[byte] = static_cast<uint8_t>(i);
      counts.insert(SourceKey(UdpAddress::V6(ip, 1)).hash() % kCounts);
    }
    EXPECT_GT(counts.size(), kDifferent) << "byte " << byte;
  }
}

}  // namespace
}  // namespace sluice
