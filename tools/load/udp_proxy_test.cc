// Over real sockets of the loopback device. What is timed is in impaired_path_test.

#include "tools/load/udp_proxy.h"

#include <poll.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/time_delta.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/connection/udp_path.h"
#include "quic/io/datagram_receiver.h"
#include "quic/io/datagram_sender.h"
#include "quic/io/datagram_socket.h"
#include "quic/io/monotonic_clock.h"
#include "tests/e2e/deadline.h"
#include "tests/e2e/scratch_folder.h"
#include "tools/load/running_udp_proxy.h"

namespace sluice {
namespace {

using ::testing::SizeIs;
using Bytes = std::vector<uint8_t>;

const UdpAddress kLoopback4 = UdpAddress::V4({127, 0, 0, 1}, 0);
const UdpAddress kLoopback6 = UdpAddress::V6({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 0);

struct Arrived {
  UdpAddress from;
  Ecn ecn;
  Bytes bytes;
};

// An end of the way.
class End {
 public:
  explicit End(const UdpAddress& address) : socket_(*DatagramSocket::Open(address)) {}

  const UdpAddress& address() const { return socket_.local_address(); }
  void Send(const UdpAddress& to, const Bytes& bytes, Ecn ecn = Ecn::kNotEct) {
    const DatagramOutbox::Datagram datagram = {
        .path = {.local = address(), .remote = to}, .ecn = ecn, .bytes = bytes};
    sender_.Send(socket_, {&datagram, 1});
  }
  // The next one, within reason.
  std::optional<Arrived> Receive() {
    pollfd readable = {.fd = socket_.fd(), .events = POLLIN, .revents = 0};
    while (waiting_.empty()) {
      if (poll(&readable, 1, Deadline::Generous().PollTimeout()) != 1) return std::nullopt;
      for (const DatagramReceiver::Received& one : receiver_.Receive(socket_)) {
        waiting_.push_back({one.path.remote, one.ecn, {one.bytes.begin(), one.bytes.end()}});
      }
    }
    const Arrived first = waiting_.front();
    waiting_.erase(waiting_.begin());
    return first;
  }

 private:
  DatagramSocket socket_;
  DatagramReceiver receiver_;
  DatagramSender sender_{false};
  std::vector<Arrived> waiting_;
};

TEST(UdpProxyTest, ForwardsBothWaysWithMarksAndKeepsClientsApart) {
  for (const UdpAddress& loopback : {kLoopback4, kLoopback6}) {
    End server(loopback);
    End first(loopback);
    End second(loopback);
    RunningUdpProxy proxy({.address = loopback, .server = server.address()});
    first.Send(proxy.address(), {1}, Ecn::kEct0);
    const std::optional<Arrived> of_first = server.Receive();
    second.Send(proxy.address(), {2});
    const std::optional<Arrived> of_second = server.Receive();
    ASSERT_TRUE(of_first.has_value() && of_second.has_value());
    EXPECT_EQ(of_first->bytes, Bytes{1});
    EXPECT_EQ(of_first->ecn, Ecn::kEct0);
    EXPECT_EQ(of_second->bytes, Bytes{2});
    EXPECT_NE(of_first->from, of_second->from);
    server.Send(of_first->from, {3}, Ecn::kCe);
    server.Send(of_second->from, {4});
    const std::optional<Arrived> at_first = first.Receive();
    const std::optional<Arrived> at_second = second.Receive();
    ASSERT_TRUE(at_first.has_value() && at_second.has_value());
    EXPECT_EQ(at_first->bytes, Bytes{3});
    EXPECT_EQ(at_first->ecn, Ecn::kCe);
    EXPECT_EQ(at_first->from, proxy.address());
    EXPECT_EQ(at_second->bytes, Bytes{4});
    const UdpProxyCounters counters = proxy.Stop();
    EXPECT_EQ(counters.clients, 2u);
    EXPECT_EQ(counters.paths[kToServer].count(PathVerdict::kPassed), 2u);
    EXPECT_EQ(counters.paths[kToClient].count(PathVerdict::kPassed), 2u);
    EXPECT_EQ(counters.not_sent, 0u);
  }
}

TEST(UdpProxyTest, DropsByNumberOfEachClient) {
  End server(kLoopback4);
  UdpProxyOptions options{.server = server.address()};
  options.impairments[kToServer] = {.dropped_from = 1, .dropped_to = 2};
  RunningUdpProxy proxy(options);
  for (uint8_t client = 0; client < 2; ++client) {
    End end(kLoopback4);
    for (uint8_t i = 1; i <= 3; ++i) end.Send(proxy.address(), {client, i});
    const std::optional<Arrived> arrived = server.Receive();
    ASSERT_TRUE(arrived.has_value());
    EXPECT_EQ(arrived->bytes, (Bytes{client, 3}));
  }
  EXPECT_EQ(proxy.Stop().paths[kToServer].count(PathVerdict::kDropped), 4u);
}

TEST(UdpProxyTest, ACorruptedDatagramDiffersInOneByteAndADuplicateArrivesTwice) {
  End server(kLoopback4);
  End client(kLoopback4);
  UdpProxyOptions options{.server = server.address()};
  options.impairments[kToServer] = {.corrupted_per_million = 1'000'000,
                                    .duplicated_per_million = 1'000'000};
  RunningUdpProxy proxy(options);
  const Bytes sent(100, 7);
  client.Send(proxy.address(), sent);
  const std::optional<Arrived> first = server.Receive();
  const std::optional<Arrived> again = server.Receive();
  ASSERT_TRUE(first.has_value() && again.has_value());
  ASSERT_THAT(first->bytes, SizeIs(100));
  int different = 0;
  for (size_t i = 0; i < sent.size(); ++i) different += first->bytes[i] != sent[i] ? 1 : 0;
  EXPECT_EQ(different, 1);
  EXPECT_EQ(first->bytes, again->bytes);
}

TEST(UdpProxyTest, AnAnswerFindsTheClientAfterItsSourceHasChanged) {
  for (const Rebinding rebinding : {Rebinding::kPort, Rebinding::kAddress}) {
    // Where all of 127.0.0.0/8 is heard.
    End server(UdpAddress::V4({0, 0, 0, 0}, 0));
    End client(kLoopback4);
    RunningUdpProxy proxy({.server = UdpAddress::V4({127, 0, 0, 1}, server.address().port()),
                           .rebinding = rebinding,
                           .rebind_after = TimeDelta::Millis(1),
                           .rebind_every = TimeDelta::Millis(1)});
    client.Send(proxy.address(), {1});
    const std::optional<Arrived> before = server.Receive();
    ASSERT_TRUE(before.has_value());
    std::optional<Arrived> after;
    // It takes as many datagrams as pass within a millisecond.
    do {
      client.Send(proxy.address(), {2});
      after = server.Receive();
      ASSERT_TRUE(after.has_value());
    } while (after->from == before->from);
    const bool same_ip =
        std::equal(after->from.ip().begin(), after->from.ip().end(), before->from.ip().begin());
    EXPECT_EQ(same_ip, rebinding == Rebinding::kPort);
    EXPECT_GE(proxy.Stop().rebindings, 1u);
  }
}

TEST(UdpProxyTest, WritesWhatTheServerSees) {
  const ScratchFolder folder;
  const std::string path = folder.File("a.pcap");
  {
    End server(kLoopback4);
    End client(kLoopback4);
    RunningUdpProxy proxy({.server = server.address(), .pcap_path = path});
    client.Send(proxy.address(), Bytes(10, 1));
    const std::optional<Arrived> arrived = server.Receive();
    ASSERT_TRUE(arrived.has_value());
    server.Send(arrived->from, Bytes(20, 2));
    ASSERT_TRUE(client.Receive().has_value());
  }
  constexpr size_t kFileHeader = 24;
  constexpr size_t kHeaders = 16 + 20 + 8;
  EXPECT_THAT(ReadFileOrEmpty(path), SizeIs(kFileHeader + 2 * kHeaders + 10 + 20));
}

TEST(UdpProxyTest, RefusesWhatCannotBe) {
  EXPECT_EQ(
      UdpProxy::Open({.address = kLoopback6, .server = kLoopback4}, MonotonicNow()).status().code(),
      absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(UdpProxy::Open(
                {.address = kLoopback6, .server = kLoopback6, .rebinding = Rebinding::kAddress},
                MonotonicNow())
                .status()
                .code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(
      UdpProxy::Open({.server = kLoopback4, .pcap_path = "/nonexistent/a.pcap"}, MonotonicNow())
          .status()
          .code(),
      absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace sluice
