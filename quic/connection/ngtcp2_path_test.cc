#include "quic/connection/ngtcp2_path.h"

#include <ngtcp2/ngtcp2.h>

#include "gtest/gtest.h"
#include "quic/connection/udp_path.h"

namespace sluice {
namespace {

TEST(Ngtcp2PathTest, PathsGoThereAndBack) {
  const UdpAddress v4 = UdpAddress::V4({192, 0, 2, 1}, 4433);
  const UdpAddress v6 =
      UdpAddress::V6({0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 9, 3);
  for (const UdpPath& path : {UdpPath{v4, v4}, UdpPath{v4, UdpAddress()}, UdpPath{v6, v6}}) {
    EXPECT_EQ(FromNgtcp2(Ngtcp2Path(path).get()), path);
  }
}

TEST(Ngtcp2PathTest, Ngtcp2TellsPortsAndFamiliesApart) {
  const UdpAddress a = UdpAddress::V4({192, 0, 2, 1}, 1);
  const UdpAddress b = UdpAddress::V4({192, 0, 2, 1}, 2);
  const UdpAddress c = UdpAddress::V6({192, 0, 2, 1}, 1);
  const Ngtcp2Path aa({a, a});
  const Ngtcp2Path same({a, a});
  EXPECT_NE(ngtcp2_path_eq(&aa.get(), &same.get()), 0);
  for (const UdpPath& other : {UdpPath{a, b}, UdpPath{b, a}, UdpPath{a, c}}) {
    const Ngtcp2Path path(other);
    EXPECT_EQ(ngtcp2_path_eq(&aa.get(), &path.get()), 0);
  }
}

TEST(Ngtcp2PathTest, NoAddressIsTheUnspecifiedOne) {
  EXPECT_EQ(FromNgtcp2(ngtcp2_path{}), UdpPath());
}

}  // namespace
}  // namespace sluice
