#include "gateway/worker/socket_table.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/time_delta.h"
#include "gateway/errors/error_detail.h"
#include "gateway/io/epoll.h"
#include "gateway/io/media_port_pool.h"
#include "gateway/io/testing/free_ports.h"
#include "gateway/io/testing/loopback.h"
#include "gateway/io/testing/open_descriptors.h"
#include "gateway/io/testing/udp_peer.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/net/transport_address.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr LegHandle kLeg = {.index = 7, .generation = 9};

class SocketTableTest : public testing::Test {
 protected:
  SocketTableTest() {
    const PortRange range = FindFreePorts(4);
    MediaPortPoolOptions options;
    options.first_port = range.first;
    options.last_port = range.last;
    options.ipv4 = Loopback(IpFamily::kIpv4);
    pool_ = MediaPortPool::Create(options).value();
  }

  MediaSockets Bind(bool rtcp_mux) { return pool_->Bind(IpFamily::kIpv4, rtcp_mux).value(); }

  std::unique_ptr<MediaPortPool> pool_;
  Epoll epoll_ = Epoll::Create().value();
  SocketTable table_{4, epoll_};
};

TEST_F(SocketTableTest, FindsBothSocketsOfALeg) {
  const LocalTransport local = table_.Add(Bind(/*rtcp_mux=*/false)).value();
  table_.Assign(local, kLeg);
  const SocketTable::Entry* rtp = table_.Find(local.rtp_socket);
  const SocketTable::Entry* rtcp = table_.Find(local.rtcp_socket);
  ASSERT_NE(rtp, nullptr);
  ASSERT_NE(rtcp, nullptr);
  EXPECT_EQ(rtp->component, Component::kRtp);
  EXPECT_EQ(rtcp->component, Component::kRtcp);
  EXPECT_EQ(rtp->leg, kLeg);
  EXPECT_EQ(rtcp->leg, kLeg);
  EXPECT_EQ(rtp->socket->local_address(), local.rtp);
  EXPECT_EQ(rtcp->socket->local_address(), local.rtcp);
  EXPECT_EQ(table_.size(), 2u);
}

TEST_F(SocketTableTest, WithRtcpMuxBothHandlesAreOne) {
  const LocalTransport local = table_.Add(Bind(/*rtcp_mux=*/true)).value();
  EXPECT_EQ(local.rtp_socket, local.rtcp_socket);
  EXPECT_EQ(local.rtp, local.rtcp);
  EXPECT_EQ(table_.size(), 1u);
}

TEST_F(SocketTableTest, TheHandleIsTheTokenInEpoll) {
  const LocalTransport local = table_.Add(Bind(/*rtcp_mux=*/false)).value();
  UdpPeer peer(IpFamily::kIpv4);
  peer.Send(local.rtcp, {{1}});
  EXPECT_THAT(epoll_.Wait(TimeDelta::Seconds(10)), ElementsAre(local.rtcp_socket.ToUint64()));
}

TEST_F(SocketTableTest, RemoveTakesWholeLegsAndHandsThemBack) {
  const LocalTransport by_rtp = table_.Add(Bind(false)).value();
  const LocalTransport by_rtcp = table_.Add(Bind(false)).value();
  UdpPeer peer(IpFamily::kIpv4);
  peer.Send(by_rtp.rtp, {{1}});
  {
    const std::vector<MediaSockets> removed = table_.Remove(
        {by_rtp.rtp_socket, by_rtp.rtp_socket, by_rtcp.rtcp_socket, by_rtcp.rtp_socket});
    EXPECT_EQ(removed.size(), 2u);
    EXPECT_EQ(table_.size(), 0u);
    EXPECT_EQ(pool_->used(), 2u) << "still open, in the caller's hands";
    EXPECT_EQ(table_.Find(by_rtp.rtcp_socket), nullptr);
    EXPECT_EQ(table_.Find(by_rtcp.rtp_socket), nullptr);
    EXPECT_THAT(epoll_.Wait(TimeDelta::Zero()), IsEmpty());
  }
  EXPECT_EQ(pool_->used(), 0u);
  EXPECT_THAT(table_.Remove({by_rtp.rtp_socket, SocketHandle()}), IsEmpty());
}

TEST_F(SocketTableTest, AStaleHandleDoesNotFindTheNextSocket) {
  std::vector<LocalTransport> before;
  for (int i = 0; i < 4; ++i) before.push_back(table_.Add(Bind(true)).value());
  table_.Clear();
  EXPECT_EQ(pool_->used(), 0u);
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(table_.Add(Bind(true)).ok());
  }
  for (const LocalTransport& local : before) {
    EXPECT_EQ(table_.Find(local.rtp_socket), nullptr);
    table_.Assign(local, kLeg);
  }
  EXPECT_EQ(table_.size(), 4u);
}

TEST_F(SocketTableTest, AFullTableTakesNothing) {
  ASSERT_TRUE(table_.Add(Bind(false)).ok());
  ASSERT_TRUE(table_.Add(Bind(true)).ok());
  // One place is left, two are needed.
  MediaSockets sockets = Bind(false);
  const absl::Status full = table_.Add(std::move(sockets)).status();
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(GetErrorDetail(full)->subject, "sockets");
  EXPECT_EQ(table_.size(), 3u);
  // It did not take them either.
  UdpPeer peer(IpFamily::kIpv4);
  peer.Send(sockets.rtp().local_address(), {{1}});
  EXPECT_THAT(epoll_.Wait(TimeDelta::Zero()), IsEmpty());
  EXPECT_TRUE(table_.Add(Bind(true)).ok());
}

TEST_F(SocketTableTest, ClosesWhatIsLeftAtTheEnd) {
  const size_t before = CountOpenDescriptors();
  {
    SocketTable table(4, epoll_);
    ASSERT_TRUE(table.Add(Bind(false)).ok());
    ASSERT_TRUE(table.Add(Bind(true)).ok());
    EXPECT_EQ(CountOpenDescriptors(), before + 3);
  }
  EXPECT_EQ(CountOpenDescriptors(), before);
  EXPECT_EQ(pool_->used(), 0u);
}

}  // namespace
}  // namespace sluice
