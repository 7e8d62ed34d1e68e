#include "quic/io/datagram_socket.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <utility>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "quic/connection/udp_path.h"

namespace sluice {
namespace {

const UdpAddress kLoopback4 = UdpAddress::V4({127, 0, 0, 1}, 0);
const UdpAddress kLoopback6 = UdpAddress::V6({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 0);

int Option(const DatagramSocket& socket, int level, int name) {
  int value = -1;
  socklen_t size = sizeof(value);
  EXPECT_EQ(getsockopt(socket.fd(), level, name, &value, &size), 0);
  return value;
}

TEST(DatagramSocketTest, PortZeroIsReplacedByTheKernels) {
  for (const UdpAddress& address : {kLoopback4, kLoopback6}) {
    const auto socket = DatagramSocket::Open(address);
    ASSERT_TRUE(socket.ok()) << socket.status();
    EXPECT_NE(socket->local_address().port(), 0);
    EXPECT_EQ(socket->local_address().ip(), address.ip());
  }
}

TEST(DatagramSocketTest, FragmentsNothingAndDoesNotBlock) {
  const auto v4 = DatagramSocket::Open(kLoopback4);
  ASSERT_TRUE(v4.ok()) << v4.status();
  EXPECT_EQ(Option(*v4, IPPROTO_IP, IP_MTU_DISCOVER), IP_PMTUDISC_PROBE);
  EXPECT_NE(fcntl(v4->fd(), F_GETFL) & O_NONBLOCK, 0);
  EXPECT_NE(fcntl(v4->fd(), F_GETFD) & FD_CLOEXEC, 0);
  const auto v6 = DatagramSocket::Open(kLoopback6);
  ASSERT_TRUE(v6.ok()) << v6.status();
  EXPECT_EQ(Option(*v6, IPPROTO_IPV6, IPV6_MTU_DISCOVER), IPV6_PMTUDISC_PROBE);
  EXPECT_EQ(Option(*v6, IPPROTO_IPV6, IPV6_V6ONLY), 1);
}

TEST(DatagramSocketTest, APortThatIsTakenIsToldApart) {
  const auto first = DatagramSocket::Open(kLoopback4);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(DatagramSocket::Open(first->local_address()).status().code(),
            absl::StatusCode::kAlreadyExists);
}

TEST(DatagramSocketTest, AMovedSocketKeepsItsPort) {
  auto first = DatagramSocket::Open(kLoopback4);
  ASSERT_TRUE(first.ok()) << first.status();
  const UdpAddress address = first->local_address();
  {
    const DatagramSocket second = *std::move(first);
    EXPECT_EQ(second.local_address(), address);
    EXPECT_FALSE(DatagramSocket::Open(address).ok());
  }
  EXPECT_TRUE(DatagramSocket::Open(address).ok());
}

}  // namespace
}  // namespace sluice
