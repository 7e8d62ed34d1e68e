#include "gateway/io/socket_address.h"

#include <netinet/in.h>

#include "gateway/net/transport_address.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(SocketAddressTest, WritesWhatTheKernelReads) {
  sockaddr_storage name;
  ASSERT_EQ(ToSockaddr({IpAddress::V4({192, 0, 2, 1}), 5004}, name), sizeof(sockaddr_in));
  EXPECT_EQ(name.ss_family, AF_INET);
  const sockaddr_in& v4 = reinterpret_cast<const sockaddr_in&>(name);
  EXPECT_EQ(ntohs(v4.sin_port), 5004);
  EXPECT_EQ(ntohl(v4.sin_addr.s_addr), 0xC0000201u);

  const IpAddress link_local =
      IpAddress::V6({0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9}, 3);
  ASSERT_EQ(ToSockaddr({link_local, 65535}, name), sizeof(sockaddr_in6));
  EXPECT_EQ(name.ss_family, AF_INET6);
  const sockaddr_in6& v6 = reinterpret_cast<const sockaddr_in6&>(name);
  EXPECT_EQ(ntohs(v6.sin6_port), 65535);
  EXPECT_EQ(v6.sin6_addr.s6_addr[0], 0xFE);
  EXPECT_EQ(v6.sin6_addr.s6_addr[15], 9);
  EXPECT_EQ(v6.sin6_scope_id, 3u);
  EXPECT_EQ(v6.sin6_flowinfo, 0u);
}

TEST(SocketAddressTest, ReadsBackWhatItWrote) {
  const TransportAddress addresses[] = {
      {IpAddress::V4({0, 0, 0, 0}), 0},
      {IpAddress::V4({255, 254, 253, 252}), 65535},
      {IpAddress::V6({}), 1},
      {IpAddress::V6({0x20, 1, 0xD, 0xB8, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}), 5004},
      {IpAddress::V6({0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 7), 5006},
  };
  for (const TransportAddress& address : addresses) {
    sockaddr_storage name;
    const socklen_t size = ToSockaddr(address, name);
    EXPECT_EQ(FromSockaddr(name, size), address) << address.ToString();
  }
}

TEST(SocketAddressTest, ReadsNothingFromOtherFamiliesAndShortNames) {
  sockaddr_storage name{};
  name.ss_family = AF_UNIX;
  EXPECT_EQ(FromSockaddr(name, sizeof(name)), std::nullopt);
  for (const IpAddress& ip : {IpAddress::V4({127, 0, 0, 1}), IpAddress::V6({1})}) {
    const socklen_t size = ToSockaddr({ip, 5004}, name);
    EXPECT_EQ(FromSockaddr(name, size - 1), std::nullopt);
    EXPECT_EQ(FromSockaddr(name, 0), std::nullopt);
  }
}

}  // namespace
}  // namespace sluice
