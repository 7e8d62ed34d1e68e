#include "gateway/io/udp_socket.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gateway/io/testing/loopback.h"
#include "gateway/io/testing/open_descriptors.h"
#include "gateway/net/transport_address.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using testing::HasSubstr;

class UdpSocketTest : public testing::TestWithParam<IpFamily> {
 protected:
  TransportAddress AnyPort() const { return {Loopback(GetParam()), 0}; }
};

INSTANTIATE_TEST_SUITE_P(Families, UdpSocketTest,
                         testing::Values(IpFamily::kIpv4, IpFamily::kIpv6));

TEST_P(UdpSocketTest, TellsThePortThatTheKernelChose) {
  const absl::StatusOr<UdpSocket> socket = UdpSocket::Open(AnyPort());
  ASSERT_TRUE(socket.ok()) << socket.status();
  EXPECT_EQ(socket->local_address().ip, AnyPort().ip);
  EXPECT_NE(socket->local_address().port, 0);
}

TEST_P(UdpSocketTest, NeitherBlocksNorIsInherited) {
  const absl::StatusOr<UdpSocket> socket = UdpSocket::Open(AnyPort());
  ASSERT_TRUE(socket.ok()) << socket.status();
  EXPECT_NE(fcntl(socket->fd(), F_GETFL) & O_NONBLOCK, 0);
  EXPECT_NE(fcntl(socket->fd(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST_P(UdpSocketTest, NoticesABusyPortAndLeavesNoDescriptorBehind) {
  const absl::StatusOr<UdpSocket> first = UdpSocket::Open(AnyPort());
  ASSERT_TRUE(first.ok()) << first.status();
  const size_t before = CountOpenDescriptors();
  const absl::Status busy = UdpSocket::Open(first->local_address()).status();
  EXPECT_EQ(busy.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(busy.message(), HasSubstr(first->local_address().ToString()));
  EXPECT_THAT(busy.message(), HasSubstr("in use"));
  EXPECT_EQ(CountOpenDescriptors(), before);
}

TEST_P(UdpSocketTest, GivesThePortBackWhenDestroyed) {
  absl::StatusOr<UdpSocket> first = UdpSocket::Open(AnyPort());
  ASSERT_TRUE(first.ok()) << first.status();
  const TransportAddress address = first->local_address();
  { const UdpSocket moved = *std::move(first); }
  EXPECT_TRUE(UdpSocket::Open(address).ok());
}

TEST(UdpSocketFamiliesTest, BothFamiliesMayUseOnePort) {
  // Some other process may hold the port for the second family, hence some tries.
  for (int i = 0; i < 10; ++i) {
    const absl::StatusOr<UdpSocket> v6 = UdpSocket::Open({IpAddress::V6({}), 0});
    ASSERT_TRUE(v6.ok()) << v6.status();
    if (UdpSocket::Open({IpAddress(), v6->local_address().port}).ok()) return;
  }
  FAIL() << "an IPv6 socket keeps IPv4 from its port";
}

TEST(UdpSocketFamiliesTest, RefusesAnAddressOfAnotherMachine) {
  const size_t before = CountOpenDescriptors();
  // TEST-NET-1 (RFC 5737 section 3) and the documentation prefix (RFC 3849).
  for (const char* text : {"192.0.2.1", "2001:db8::1"}) {
    const absl::Status status = UdpSocket::Open({IpAddress::Parse(text).value(), 0}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(status.message(), HasSubstr(text));
  }
  EXPECT_EQ(CountOpenDescriptors(), before);
}

TEST(UdpSocketFamiliesTest, SaysThatDescriptorsRanOut) {
  rlimit old_limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &old_limit), 0);
  rlimit low = old_limit;
  low.rlim_cur = CountOpenDescriptors() + 8;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  std::vector<UdpSocket> sockets;
  absl::Status status;
  while (status.ok() && sockets.size() < 100) {
    absl::StatusOr<UdpSocket> socket = UdpSocket::Open({Loopback(IpFamily::kIpv4), 0});
    status = socket.status();
    if (socket.ok()) sockets.push_back(*std::move(socket));
  }
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &old_limit), 0);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
}

TEST(UdpSocketFamiliesTest, MoveAssignmentClosesWhatWasThere) {
  const size_t before = CountOpenDescriptors();
  {
    UdpSocket a = UdpSocket::Open({Loopback(IpFamily::kIpv4), 0}).value();
    UdpSocket b = UdpSocket::Open({Loopback(IpFamily::kIpv4), 0}).value();
    const TransportAddress address = b.local_address();
    a = std::move(b);
    EXPECT_EQ(a.local_address(), address);
  }
  EXPECT_EQ(CountOpenDescriptors(), before);
}

}  // namespace
}  // namespace sluice
