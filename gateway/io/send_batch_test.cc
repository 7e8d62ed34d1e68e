#include "gateway/io/send_batch.h"

#include <errno.h>
#include <sys/socket.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "gateway/io/testing/loopback.h"
#include "gateway/io/testing/udp_peer.h"
#include "gateway/io/udp_socket.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/net/transport_address.h"
#include "gateway/session/outbox.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/packet_arena.h"

namespace sluice {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr SocketHandle kFirst = {.index = 0, .generation = 1};
constexpr SocketHandle kSecond = {.index = 1, .generation = 1};
constexpr SocketHandle kGone = {.index = 2, .generation = 1};

class SendBatchTest : public testing::TestWithParam<IpFamily> {
 protected:
  // The first bytes of a packet are its number, which is its leg's index as well.
  void Push(SocketHandle socket, const TransportAddress& destination, size_t size = 8) {
    PacketLoan packet = arena_.Lend();
    ASSERT_TRUE(packet);
    ASSERT_TRUE(packet.Resize(size));
    StoreBe32(packet.bytes().data(), next_);
    outgoing_.push_back({socket, destination, std::move(packet), LegHandle{next_, 1}});
    ++next_;
  }

  std::vector<SendOutcome> Send() {
    std::vector<SendOutcome> outcomes;
    batch_->Send(
        absl::MakeSpan(outgoing_),
        [this](SocketHandle handle) -> const UdpSocket* {
          ++lookups_;
          if (handle == kFirst) return &first_;
          return handle == kSecond ? &second_ : nullptr;
        },
        [&](const OutgoingDatagram& datagram, SendOutcome outcome) {
          EXPECT_EQ(datagram.leg.index, outcomes.size()) << "reported out of order";
          outcomes.push_back(outcome);
        });
    outgoing_.clear();
    return outcomes;
  }

  static uint32_t NumberOf(const std::optional<PeerDatagram>& datagram) {
    return datagram.has_value() ? LoadBe32(datagram->bytes.data()) : UINT32_MAX;
  }

  PacketArena arena_{400};
  UdpSocket first_ = UdpSocket::Open({Loopback(GetParam()), 0}).value();
  UdpSocket second_ = UdpSocket::Open({Loopback(GetParam()), 0}).value();
  UdpPeer peer_{GetParam()};
  std::unique_ptr<SendBatch> batch_ = std::make_unique<SendBatch>();
  std::vector<OutgoingDatagram> outgoing_;
  uint32_t next_ = 0;
  int lookups_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Families, SendBatchTest,
                         testing::Values(IpFamily::kIpv4, IpFamily::kIpv6));

TEST_P(SendBatchTest, SendsInOrderFromTheSocketNamed) {
  Push(kFirst, peer_.address());
  Push(kFirst, peer_.address());
  Push(kSecond, peer_.address());
  Push(kFirst, peer_.address());
  EXPECT_THAT(Send(), ElementsAre(SendOutcome::kSent, SendOutcome::kSent, SendOutcome::kSent,
                                  SendOutcome::kSent));
  EXPECT_EQ(lookups_, 3) << "one per run";
  const UdpSocket* sources[] = {&first_, &first_, &second_, &first_};
  for (uint32_t i = 0; i < 4; ++i) {
    const std::optional<PeerDatagram> datagram = peer_.Receive();
    ASSERT_EQ(NumberOf(datagram), i);
    EXPECT_EQ(datagram->source, sources[i]->local_address());
  }
}

TEST_P(SendBatchTest, RunsLongerThanOneCallArriveWhole) {
  constexpr uint32_t kCount = 150;
  UdpPeer other(GetParam());
  for (uint32_t i = 0; i < kCount; ++i) {
    Push(kFirst, i % 2 == 0 ? peer_.address() : other.address());
  }
  EXPECT_THAT(Send(), Each(SendOutcome::kSent));
  for (uint32_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(NumberOf((i % 2 == 0 ? peer_ : other).Receive()), i);
  }
}

TEST_P(SendBatchTest, ADatagramThatTheKernelRefusesDoesNotHoldUpOthers) {
  // Port 0 is nowhere (EINVAL); the other family cannot be reached from here.
  const TransportAddress nowhere = {Loopback(GetParam()), 0};
  const IpFamily other = GetParam() == IpFamily::kIpv4 ? IpFamily::kIpv6 : IpFamily::kIpv4;
  Push(kFirst, nowhere);
  Push(kFirst, peer_.address());
  Push(kFirst, {Loopback(other), peer_.address().port});
  Push(kFirst, nowhere);
  Push(kFirst, peer_.address());
  Push(kFirst, nowhere);
  const std::vector<SendOutcome> outcomes = Send();
  EXPECT_EQ(outcomes[0], SendOutcome::kRefused);
  EXPECT_EQ(outcomes[1], SendOutcome::kSent);
  EXPECT_EQ(outcomes[2], SendOutcome::kRefused);
  EXPECT_EQ(outcomes[3], SendOutcome::kRefused);
  EXPECT_EQ(outcomes[4], SendOutcome::kSent);
  EXPECT_EQ(outcomes[5], SendOutcome::kRefused);
  EXPECT_EQ(NumberOf(peer_.Receive()), 1u);
  EXPECT_EQ(NumberOf(peer_.Receive()), 4u);
}

TEST_P(SendBatchTest, ASocketThatIsGoneIsToldForAllOfItsRun) {
  Push(kGone, peer_.address());
  Push(kGone, peer_.address());
  Push(kSecond, peer_.address());
  EXPECT_THAT(Send(),
              ElementsAre(SendOutcome::kNoSocket, SendOutcome::kNoSocket, SendOutcome::kSent));
  EXPECT_EQ(NumberOf(peer_.Receive()), 2u);
}

TEST_P(SendBatchTest, NothingToSendIsFine) { EXPECT_THAT(Send(), ElementsAre()); }

// Loopback delivers within the call, so its queues are never full.
class FullQueueTest : public SendBatchTest {
 protected:
  FullQueueTest() {
    full_fd_ = first_.fd();
    calls_ = 0;
    batch_ = std::make_unique<SendBatch>(&FullAfterTwo);
  }

  // Takes two datagrams for the first socket, is interrupted once, and is full from then on.
  static int FullAfterTwo(int fd, mmsghdr* headers, unsigned int count, int flags) {
    if (fd != full_fd_) return sendmmsg(fd, headers, count, flags);
    ++calls_;
    if (calls_ == 1) return sendmmsg(fd, headers, 2, flags);
    errno = calls_ == 2 ? EINTR : EAGAIN;
    return -1;
  }

  static int full_fd_;
  static int calls_;
};
int FullQueueTest::full_fd_ = -1;
int FullQueueTest::calls_ = 0;

INSTANTIATE_TEST_SUITE_P(Families, FullQueueTest,
                         testing::Values(IpFamily::kIpv4, IpFamily::kIpv6));

TEST_P(FullQueueTest, TheRestOfTheRunIsDroppedAtOnceAndOtherSocketsGoOn) {
  for (int i = 0; i < 40; ++i) Push(kFirst, peer_.address());
  Push(kSecond, peer_.address());
  const std::vector<SendOutcome> outcomes = Send();
  ASSERT_EQ(outcomes.size(), 41u);
  EXPECT_EQ(outcomes[0], SendOutcome::kSent);
  EXPECT_EQ(outcomes[1], SendOutcome::kSent);
  EXPECT_THAT(absl::MakeConstSpan(outcomes).subspan(2, 38), Each(SendOutcome::kQueueFull));
  EXPECT_EQ(outcomes[40], SendOutcome::kSent);
  EXPECT_EQ(calls_, 3) << "one that sent, one interrupted, one that found the queue full";
  EXPECT_EQ(NumberOf(peer_.Receive()), 0u);
  EXPECT_EQ(NumberOf(peer_.Receive()), 1u);
  EXPECT_EQ(NumberOf(peer_.Receive()), 40u);
}

}  // namespace
}  // namespace sluice
