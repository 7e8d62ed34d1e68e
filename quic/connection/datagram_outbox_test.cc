#include "quic/connection/datagram_outbox.h"

#include <cstdint>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "quic/connection/udp_path.h"

namespace sluice {
namespace {

const UdpPath kPath{UdpAddress::V4({127, 0, 0, 1}, 1), UdpAddress::V4({127, 0, 0, 1}, 2)};

TEST(DatagramOutboxTest, KeepsWhatWasCommittedInOrder) {
  DatagramOutbox outbox(3);
  for (uint8_t i = 0; i < 3; ++i) {
    const absl::Span<uint8_t> room = outbox.Reserve();
    ASSERT_EQ(room.size(), DatagramOutbox::kMaxDatagramSize);
    room[0] = i;
    outbox.Commit(1 + i, kPath, Ecn::kEct0);
  }
  ASSERT_EQ(outbox.datagrams().size(), 3u);
  for (uint8_t i = 0; i < 3; ++i) {
    EXPECT_EQ(outbox.datagrams()[i].bytes.size(), 1u + i);
    EXPECT_EQ(outbox.datagrams()[i].bytes[0], i);
    EXPECT_EQ(outbox.datagrams()[i].path, kPath);
    EXPECT_EQ(outbox.datagrams()[i].ecn, Ecn::kEct0);
  }
}

TEST(DatagramOutboxTest, WhatIsNotCommittedIsGivenAgain) {
  DatagramOutbox outbox(2);
  EXPECT_EQ(outbox.Reserve().data(), outbox.Reserve().data());
  EXPECT_TRUE(outbox.datagrams().empty());
}

TEST(DatagramOutboxTest, FullIsAnAnswerAndACount) {
  DatagramOutbox outbox(1);
  outbox.Reserve();
  outbox.Commit(1, kPath, Ecn::kNotEct);
  EXPECT_TRUE(outbox.full());
  EXPECT_TRUE(outbox.Reserve().empty());
  EXPECT_EQ(outbox.times_full(), 1u);
  outbox.Clear();
  EXPECT_FALSE(outbox.Reserve().empty());
}

}  // namespace
}  // namespace sluice
