#include "quic/io/datagram_receiver.h"

#include <poll.h>
#include <sys/socket.h>

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "quic/connection/udp_path.h"
#include "quic/io/datagram_socket.h"
#include "quic/io/socket_name.h"

namespace sluice {
namespace {

bool WaitFor(const DatagramSocket& socket) {
  pollfd waiting{.fd = socket.fd(), .events = POLLIN, .revents = 0};
  return poll(&waiting, 1, 10'000) == 1;
}

void SendTo(const DatagramSocket& from, const UdpAddress& to, const std::vector<uint8_t>& bytes) {
  sockaddr_storage name{};
  const socklen_t size = ToSocketName(to, name);
  ASSERT_EQ(sendto(from.fd(), bytes.data(), bytes.size(), 0,
                   reinterpret_cast<const sockaddr*>(&name), size),
            static_cast<ssize_t>(bytes.size()));
}

class DatagramReceiverTest : public testing::Test {
 protected:
  DatagramSocket client_ = *DatagramSocket::Open(UdpAddress::V4({127, 0, 0, 1}, 0));
  DatagramSocket server_ = *DatagramSocket::Open(UdpAddress::V4({0, 0, 0, 0}, 0));
  DatagramReceiver receiver_;
};

TEST_F(DatagramReceiverTest, NothingWaitsAtFirst) {
  EXPECT_TRUE(receiver_.Receive(server_).empty());
  EXPECT_EQ(receiver_.counters().received, 0u);
}

TEST_F(DatagramReceiverTest, TellsWhichOfItsAddressesADatagramCameTo) {
  const uint16_t port = server_.local_address().port();
  const UdpAddress second = UdpAddress::V4({127, 0, 0, 2}, port);
  SendTo(client_, second, {1, 2, 3});
  ASSERT_TRUE(WaitFor(server_));
  const auto received = receiver_.Receive(server_);
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].path.local, second);
  EXPECT_EQ(received[0].path.remote, client_.local_address());
  EXPECT_EQ(received[0].ecn, Ecn::kNotEct);
  EXPECT_EQ(std::vector<uint8_t>(received[0].bytes.begin(), received[0].bytes.end()),
            (std::vector<uint8_t>{1, 2, 3}));
}

TEST_F(DatagramReceiverTest, TakesABatchAndLeavesTheRest) {
  const UdpAddress to = UdpAddress::V4({127, 0, 0, 1}, server_.local_address().port());
  for (uint8_t i = 0; i < DatagramReceiver::kBatch + 1; ++i) SendTo(client_, to, {i});
  ASSERT_TRUE(WaitFor(server_));
  const auto received = receiver_.Receive(server_);
  ASSERT_EQ(received.size(), DatagramReceiver::kBatch);
  for (uint8_t i = 0; i < received.size(); ++i) EXPECT_EQ(received[i].bytes[0], i);
  EXPECT_EQ(receiver_.Receive(server_).size(), 1u);
  EXPECT_EQ(receiver_.counters().received, DatagramReceiver::kBatch + 1);
}

TEST_F(DatagramReceiverTest, OneThatIsTooLongIsDroppedAndCounted) {
  const UdpAddress to = UdpAddress::V4({127, 0, 0, 1}, server_.local_address().port());
  SendTo(client_, to, std::vector<uint8_t>(DatagramReceiver::kMaxSize + 1));
  SendTo(client_, to, std::vector<uint8_t>(DatagramReceiver::kMaxSize, 7));
  ASSERT_TRUE(WaitFor(server_));
  const auto received = receiver_.Receive(server_);
  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].bytes.size(), DatagramReceiver::kMaxSize);
  EXPECT_EQ(received[0].bytes[0], 7);
  EXPECT_EQ(receiver_.counters().unusable, 1u);
}

}  // namespace
}  // namespace sluice
