#include "interceptor/pacer/probe_stream.h"

#include <optional>
#include <vector>

#include "base/byte_order.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"
#include "srtp/rtp_packet_view.h"

namespace sluice {
namespace {

constexpr ProbeStreamOptions kOptions = {Ssrc(0x11223344), PayloadType(127)};

RtpPacketView View(const PacketLoan& packet) {
  const std::optional<RtpPacketView> view = RtpPacketView::Parse(packet.bytes());
  EXPECT_TRUE(view.has_value());
  return *view;
}

TEST(ProbeStreamTest, MakesPacketsOfOneStream) {
  SeededRandom random(1);
  PacketArena arena(2);
  ProbeStream stream(kOptions, random);
  const PacketLoan first = stream.Make(Timestamp::Millis(0), DataSize::Bytes(500), arena);
  const PacketLoan second = stream.Make(Timestamp::Millis(10), DataSize::Bytes(500), arena);
  EXPECT_EQ(first.size(), 500u);
  EXPECT_EQ(View(first).ssrc(), kOptions.ssrc);
  EXPECT_EQ(View(first).payload_type(), kOptions.payload_type);
  EXPECT_EQ(View(second).sequence_number().value(), View(first).sequence_number().value() + 1);
  EXPECT_EQ(View(second).timestamp().value() - View(first).timestamp().value(), 900u);
  EXPECT_FALSE(View(first).has_padding());
}

TEST(ProbeStreamTest, NothingOfAnEarlierPacketIsLeftInTheSlot) {
  SeededRandom random(1);
  PacketArena arena(1);
  {
    PacketLoan secret = arena.Lend();
    ASSERT_TRUE(secret.Resize(1200));
    CopyBytes(secret.bytes(), std::vector<uint8_t>(1200, 0xEE));
  }
  ProbeStream stream(kOptions, random);
  const PacketLoan packet = stream.Make(Timestamp::Millis(0), DataSize::Bytes(1000), arena);
  for (const uint8_t byte : View(packet).payload()) {
    ASSERT_EQ(byte, 0);
  }
}

TEST(ProbeStreamTest, SizesAreThoseOfPackets) {
  SeededRandom random(1);
  PacketArena arena(1);
  ProbeStream stream(kOptions, random);
  EXPECT_EQ(stream.Make(Timestamp::Zero(), DataSize::Bytes(1), arena).size(), 200u);
  EXPECT_EQ(stream.Make(Timestamp::Zero(), DataSize::Bytes(100'000), arena).size(), 1100u);
}

TEST(ProbeStreamTest, WithoutASlotThereIsNoPacketAndNoGap) {
  SeededRandom random(1);
  PacketArena arena(1);
  ProbeStream stream(kOptions, random);
  const PacketLoan first = stream.Make(Timestamp::Zero(), DataSize::Bytes(500), arena);
  EXPECT_FALSE(stream.Make(Timestamp::Zero(), DataSize::Bytes(500), arena));
  const uint16_t sequence = View(first).sequence_number().value();
  PacketArena other(1);
  const PacketLoan second = stream.Make(Timestamp::Zero(), DataSize::Bytes(500), other);
  EXPECT_EQ(View(second).sequence_number().value(), sequence + 1);
}

}  // namespace
}  // namespace sluice
