#include "quic/io/socket_name.h"

#include <sys/socket.h>

#include <optional>

#include "gtest/gtest.h"
#include "quic/connection/udp_path.h"

namespace sluice {
namespace {

TEST(SocketNameTest, AddressesOfBothFamiliesComeBackAsTheyWere) {
  const UdpAddress addresses[] = {
      UdpAddress::V4({192, 0, 2, 7}, 4433),
      UdpAddress::V6({0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9}, 65535),
      UdpAddress::V6({0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 1, 3),
  };
  for (const UdpAddress& address : addresses) {
    sockaddr_storage name{};
    const socklen_t size = ToSocketName(address, name);
    EXPECT_EQ(name.ss_family, address.is_v6() ? AF_INET6 : AF_INET);
    EXPECT_EQ(FromSocketName(name, size), address);
  }
}

TEST(SocketNameTest, ShortAndForeignNamesAreNone) {
  sockaddr_storage name{};
  const socklen_t size = ToSocketName(UdpAddress::V4({192, 0, 2, 7}, 4433), name);
  EXPECT_EQ(FromSocketName(name, size - 1), std::nullopt);
  name.ss_family = AF_UNIX;
  EXPECT_EQ(FromSocketName(name, sizeof(name)), std::nullopt);
}

}  // namespace
}  // namespace sluice
