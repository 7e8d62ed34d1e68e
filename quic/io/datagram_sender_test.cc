#include "quic/io/datagram_sender.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/connection/udp_path.h"
#include "quic/io/datagram_receiver.h"
#include "quic/io/datagram_socket.h"

namespace sluice {
namespace {

const UdpAddress kLoopback4 = UdpAddress::V4({127, 0, 0, 1}, 0);
const UdpAddress kLoopback6 = UdpAddress::V6({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 0);

// What the kernel says to messages of several datagrams, 0 for nothing, and how often it was asked.
int refusal = 0;
int calls = 0;
int SendOrRefuse(int fd, mmsghdr* headers, unsigned int count, int flags) {
  ++calls;
  unsigned int single = 0;
  while (single < count && headers[single].msg_hdr.msg_iovlen == 1) ++single;
  if (refusal == 0) return sendmmsg(fd, headers, count, flags);
  if (single > 0) return sendmmsg(fd, headers, single, flags);
  errno = refusal;
  return -1;
}

int QueueIsFull(int, mmsghdr*, unsigned int, int) {
  errno = EAGAIN;
  return -1;
}

struct Arrived {
  size_t size;
  uint8_t first;
  Ecn ecn;
};

class DatagramSenderTest : public testing::TestWithParam<UdpAddress> {
 protected:
  DatagramSenderTest() { refusal = calls = 0; }

  void Add(size_t size, uint8_t first, Ecn ecn = Ecn::kNotEct) {
    const absl::Span<uint8_t> room = outbox_.Reserve();
    std::fill(room.begin(), room.end(), first);
    outbox_.Commit(size, {from_.local_address(), to_.local_address()}, ecn);
  }

  std::vector<Arrived> Receive(size_t count) {
    std::vector<Arrived> arrived;
    pollfd waiting{.fd = to_.fd(), .events = POLLIN, .revents = 0};
    while (arrived.size() < count && poll(&waiting, 1, 10'000) == 1) {
      for (const auto& datagram : receiver_.Receive(to_)) {
        EXPECT_EQ(datagram.path.remote, from_.local_address());
        EXPECT_EQ(datagram.path.local, to_.local_address());
        arrived.push_back({datagram.bytes.size(), datagram.bytes[0], datagram.ecn});
      }
    }
    EXPECT_TRUE(receiver_.Receive(to_).empty());
    return arrived;
  }

  // Five alike, one shorter, and one more.
  void AddRun() {
    for (uint8_t i = 0; i < 5; ++i) Add(1200, i);
    Add(100, 5);
    Add(1200, 6);
  }
  void ExpectRun() {
    const std::vector<Arrived> arrived = Receive(7);
    ASSERT_EQ(arrived.size(), 7u);
    for (uint8_t i = 0; i < 7; ++i) {
      EXPECT_EQ(arrived[i].first, i);
      EXPECT_EQ(arrived[i].size, i == 5 ? 100u : 1200u);
    }
  }

  DatagramSocket from_ = *DatagramSocket::Open(GetParam());
  DatagramSocket to_ = *DatagramSocket::Open(GetParam());
  DatagramOutbox outbox_{256};
  DatagramReceiver receiver_;
};

TEST_P(DatagramSenderTest, MarksWhatIsToBeMarked) {
  Add(10, 1, Ecn::kEct0);
  Add(10, 2, Ecn::kCe);
  Add(10, 3);
  DatagramSender sender(true);
  sender.Send(from_, outbox_.datagrams());
  const std::vector<Arrived> arrived = Receive(3);
  ASSERT_EQ(arrived.size(), 3u);
  EXPECT_EQ(arrived[0].ecn, Ecn::kEct0);
  EXPECT_EQ(arrived[1].ecn, Ecn::kCe);
  EXPECT_EQ(arrived[2].ecn, Ecn::kNotEct);
}

TEST_P(DatagramSenderTest, CutsRunsOrNotToTheSameEffect) {
  for (const bool segmentation : {true, false}) {
    outbox_.Clear();
    AddRun();
    DatagramSender sender(segmentation);
    sender.Send(from_, outbox_.datagrams());
    ExpectRun();
    EXPECT_EQ(sender.counters().sent, 7u);
    EXPECT_EQ(sender.counters().segmented, segmentation ? 6u : 0u);
    EXPECT_EQ(sender.segmentation(), segmentation);
  }
}

TEST_P(DatagramSenderTest, AKernelThatCannotCutIsAskedOnce) {
  for (const int error : {EIO, EINVAL, EOPNOTSUPP}) {
    refusal = error;
    DatagramSender sender(true, &SendOrRefuse);
    for (int round = 0; round < 2; ++round) {
      outbox_.Clear();
      AddRun();
      sender.Send(from_, outbox_.datagrams());
      ExpectRun();
    }
    EXPECT_FALSE(sender.segmentation());
    EXPECT_EQ(sender.counters().segmentation_refused, 1u);
    EXPECT_EQ(sender.counters().sent, 14u);
    EXPECT_EQ(sender.counters().refused, 0u);
  }
}

TEST_P(DatagramSenderTest, AMessageThatIsTooLongIsNoReasonToCutNoMore) {
  refusal = EMSGSIZE;
  AddRun();
  DatagramSender sender(true, &SendOrRefuse);
  sender.Send(from_, outbox_.datagrams());
  ExpectRun();
  EXPECT_TRUE(sender.segmentation());
}

TEST_P(DatagramSenderTest, MoreThanACallTakesIsSentInOrder) {
  // Every size another, so that nothing is a run.
  for (size_t i = 0; i < 200; ++i) Add(100 + i, static_cast<uint8_t>(i));
  DatagramSender sender(true, &SendOrRefuse);
  sender.Send(from_, outbox_.datagrams());
  EXPECT_EQ(calls, 4);
  const std::vector<Arrived> arrived = Receive(200);
  ASSERT_EQ(arrived.size(), 200u);
  for (size_t i = 0; i < 200; ++i) EXPECT_EQ(arrived[i].size, 100 + i);
}

TEST_P(DatagramSenderTest, LongRunsAreSeveralMessages) {
  for (size_t i = 0; i < 150; ++i) Add(1200, static_cast<uint8_t>(i));
  DatagramSender sender(true, &SendOrRefuse);
  sender.Send(from_, outbox_.datagrams());
  EXPECT_EQ(sender.counters().segmented, 150u);
  EXPECT_EQ(sender.counters().segmentation_refused, 0u);
  EXPECT_EQ(Receive(150).size(), 150u);
}

TEST_P(DatagramSenderTest, WhatFindsTheQueueFullIsLostAndCounted) {
  AddRun();
  DatagramSender sender(true, &QueueIsFull);
  sender.Send(from_, outbox_.datagrams());
  EXPECT_EQ(sender.counters().queue_full, 7u);
  EXPECT_EQ(sender.counters().sent, 0u);
}

INSTANTIATE_TEST_SUITE_P(Families, DatagramSenderTest, testing::Values(kLoopback4, kLoopback6),
                         [](const auto& family) { return family.param.is_v6() ? "IPv6" : "IPv4"; });

}  // namespace
}  // namespace sluice
