#include "gateway/io/receive_batch.h"

#include <algorithm>
#include <vector>

#include "absl/types/span.h"
#include "gateway/io/testing/loopback.h"
#include "gateway/io/testing/udp_peer.h"
#include "gateway/io/udp_socket.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/net/transport_address.h"
#include "gateway/session/received_datagram.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/packet_arena.h"

namespace sluice {
namespace {

using testing::ElementsAreArray;

constexpr LegHandle kLeg = {.index = 3, .generation = 5};

class ReceiveBatchTest : public testing::TestWithParam<IpFamily> {
 protected:
  void SendNumbered(size_t count) {
    for (size_t i = 0; i < count; ++i) peer_.Send(socket_.local_address(), {{next_++}});
  }
  static std::vector<int> FirstBytes(ReceiveBatch& batch) {
    std::vector<int> bytes;
    for (ReceivedDatagram& datagram : batch.datagrams()) {
      bytes.push_back(datagram.packet.bytes()[0]);
    }
    return bytes;
  }

  UdpSocket socket_ = UdpSocket::Open({Loopback(GetParam()), 0}).value();
  UdpPeer peer_{GetParam()};
  uint8_t next_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Families, ReceiveBatchTest,
                         testing::Values(IpFamily::kIpv4, IpFamily::kIpv6));

TEST_P(ReceiveBatchTest, ReceivesIntoSlotsWithSourceLegAndComponent) {
  PacketArena arena(100);
  ReceiveBatch batch(16, arena);
  const std::vector<uint8_t> bytes = {0x80, 1, 2, 3, 4};
  peer_.Send(socket_.local_address(), bytes);
  batch.Receive(socket_, kLeg, Component::kRtcp);
  ASSERT_EQ(batch.datagrams().size(), 1u);
  ReceivedDatagram& datagram = batch.datagrams()[0];
  EXPECT_EQ(datagram.leg, kLeg);
  EXPECT_EQ(datagram.component, Component::kRtcp);
  EXPECT_EQ(datagram.source, peer_.address());
  EXPECT_FALSE(datagram.truncated);
  EXPECT_THAT(datagram.packet.bytes(), ElementsAreArray(bytes));
  EXPECT_EQ(datagram.packet.headroom(), kPacketHeadroom);
}

TEST_P(ReceiveBatchTest, KeepsTheOrderAndTheRestForTheNextTurn) {
  PacketArena arena(200);
  ReceiveBatch batch(100, arena);
  SendNumbered(kSocketTurn + 8);
  batch.Receive(socket_, kLeg, Component::kRtp);
  EXPECT_EQ(batch.datagrams().size(), kSocketTurn);
  batch.Receive(socket_, kLeg, Component::kRtp);
  ASSERT_EQ(batch.datagrams().size(), kSocketTurn + 8);
  std::vector<int> expected(kSocketTurn + 8);
  for (size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<int>(i);
  EXPECT_EQ(FirstBytes(batch), expected);
}

TEST_P(ReceiveBatchTest, TakesNoMoreThanFit) {
  PacketArena arena(100);
  ReceiveBatch batch(5, arena);
  SendNumbered(8);
  EXPECT_FALSE(batch.full());
  batch.Receive(socket_, kLeg, Component::kRtp);
  EXPECT_TRUE(batch.full());
  batch.Receive(socket_, kLeg, Component::kRtp);
  EXPECT_EQ(FirstBytes(batch), std::vector<int>({0, 1, 2, 3, 4}));
  batch.Clear();
  EXPECT_TRUE(batch.empty());
  batch.Receive(socket_, kLeg, Component::kRtp);
  EXPECT_EQ(FirstBytes(batch), std::vector<int>({5, 6, 7}));
}

TEST_P(ReceiveBatchTest, AQuietSocketGivesNothing) {
  PacketArena arena(100);
  ReceiveBatch batch(5, arena);
  batch.Receive(socket_, kLeg, Component::kRtp);
  EXPECT_TRUE(batch.empty());
}

TEST_P(ReceiveBatchTest, TakesTheLongestDatagramWholeAndMarksLongerOnes) {
  PacketArena arena(100);
  ReceiveBatch batch(5, arena);
  for (const size_t size : {size_t{0}, kMaxDatagramSize, kMaxDatagramSize + 1, size_t{9000}}) {
    peer_.Send(socket_.local_address(), std::vector<uint8_t>(size, 7));
  }
  batch.Receive(socket_, kLeg, Component::kRtp);
  const absl::Span<ReceivedDatagram> datagrams = batch.datagrams();
  ASSERT_EQ(datagrams.size(), 4u);
  EXPECT_EQ(datagrams[0].packet.size(), 0u);
  EXPECT_FALSE(datagrams[0].truncated);
  EXPECT_EQ(datagrams[1].packet.size(), kMaxDatagramSize);
  EXPECT_FALSE(datagrams[1].truncated);
  EXPECT_EQ(datagrams[2].packet.size(), kMaxDatagramSize);
  EXPECT_TRUE(datagrams[2].truncated);
  EXPECT_EQ(datagrams[3].packet.size(), kMaxDatagramSize);
  EXPECT_TRUE(datagrams[3].truncated);
}

TEST_P(ReceiveBatchTest, SlotsComeBackExceptTheSpareOnes) {
  PacketArena arena(100);
  ReceiveBatch batch(40, arena);
  for (int round = 0; round < 10; ++round) {
    SendNumbered(20);
    batch.Receive(socket_, kLeg, Component::kRtp);
    ASSERT_EQ(batch.datagrams().size(), 20u);
    EXPECT_EQ(arena.free() + 20 + batch.spare(), arena.capacity());
    // As the sessions do: some packets move on, the others stay in the batch.
    const PacketLoan taken = std::move(batch.datagrams()[3].packet);
    batch.Clear();
    EXPECT_EQ(arena.free() + 1 + batch.spare(), arena.capacity());
  }
  EXPECT_EQ(arena.exhausted(), 0u);
  EXPECT_LE(batch.spare(), kSocketTurn);
}

TEST_P(ReceiveBatchTest, WithAnEmptyArenaDatagramsAreThrownAwayAndCounted) {
  PacketArena arena(3);
  ReceiveBatch batch(40, arena);
  SendNumbered(10);
  batch.Receive(socket_, kLeg, Component::kRtp);
  EXPECT_EQ(FirstBytes(batch), std::vector<int>({0, 1, 2}));
  EXPECT_EQ(arena.free(), 0u);
  EXPECT_EQ(batch.discarded(), 0u);
  // Nothing to receive into: the seven that wait must not stay, or epoll would report them for
  // ever.
  batch.Receive(socket_, kLeg, Component::kRtp);
  EXPECT_EQ(batch.datagrams().size(), 3u);
  EXPECT_EQ(batch.discarded(), 7u);
  EXPECT_GT(arena.exhausted(), 0u);
  batch.Clear();
  SendNumbered(2);
  batch.Receive(socket_, kLeg, Component::kRtp);
  EXPECT_EQ(FirstBytes(batch), std::vector<int>({10, 11}));
  EXPECT_EQ(batch.datagrams()[0].source, peer_.address());
}

TEST_P(ReceiveBatchTest, SpareSlotsAreUsedWhereverTheyAre) {
  PacketArena arena(6);
  ReceiveBatch batch(6, arena);
  SendNumbered(2);
  batch.Receive(socket_, kLeg, Component::kRtp);
  ASSERT_EQ(FirstBytes(batch), std::vector<int>({0, 1}));
  // Two are taken away for long, four are spare behind the first two places.
  std::vector<PacketLoan> kept;
  for (ReceivedDatagram& datagram : batch.datagrams()) kept.push_back(std::move(datagram.packet));
  batch.Clear();
  EXPECT_EQ(batch.spare(), 4u);
  SendNumbered(6);
  batch.Receive(socket_, kLeg, Component::kRtp);
  EXPECT_EQ(FirstBytes(batch), std::vector<int>({2, 3, 4, 5}));
}

}  // namespace
}  // namespace sluice
