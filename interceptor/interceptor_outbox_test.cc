#include "interceptor/interceptor_outbox.h"

#include <utility>
#include <variant>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "interceptor/attributes_arena.h"
#include "interceptor/intercepted_packet.h"
#include "interceptor/interceptor_event.h"
#include "interceptor/packet_attributes.h"
#include "srtp/packet_arena.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

struct Fixture {
  PacketArena packets{8};
  AttributesArena attributes{4};
  InterceptorOutbox outbox;

  explicit Fixture(const InterceptorOutboxLimits& limits = {.rtp_packets = 2,
                                                            .rtcp_packets = 2,
                                                            .rtcp_bytes = 64,
                                                            .events = 2})
      : outbox(limits, packets, attributes) {}

  PacketLoan Rtp() { return RtpPacketBuilder().BuildInto(packets); }
};

// A picture loss indication.
void WritePacket(absl::Span<uint8_t> room) {
  ASSERT_GE(room.size(), 12u);
  const uint8_t packet[12] = {0x81, 206, 0, 2};
  std::copy(std::begin(packet), std::end(packet), room.begin());
}

TEST(InterceptorOutboxTest, RefusesAndCountsRtpThatDoesNotFit) {
  Fixture f;
  EXPECT_TRUE(f.outbox.SendRtp(f.Rtp(), PacketSource::kProbe));
  EXPECT_TRUE(f.outbox.SendRtp(f.Rtp(), PacketSource::kRetransmission));
  EXPECT_FALSE(f.outbox.SendRtp(f.Rtp(), PacketSource::kProbe));
  // Each way has its own room.
  EXPECT_TRUE(f.outbox.DeliverRtp(f.Rtp(), PacketSource::kRecovered));
  EXPECT_TRUE(f.outbox.DeliverRtp(f.Rtp(), PacketSource::kRecovered));
  EXPECT_FALSE(f.outbox.DeliverRtp(f.Rtp(), PacketSource::kRecovered));
  EXPECT_EQ(f.outbox.rtp_dropped(), 2u);
  EXPECT_EQ(f.packets.free(), 4u) << "refused packets return to their arena";
  ASSERT_EQ(f.outbox.sends().size(), 2u);
  EXPECT_EQ(f.outbox.sends()[1].source, PacketSource::kRetransmission);
  EXPECT_EQ(f.outbox.deliveries().size(), 2u);
}

TEST(InterceptorOutboxTest, RefusesAndCountsRtcpThatDoesNotFit) {
  Fixture f;
  EXPECT_TRUE(f.outbox.ReserveRtcp(68).empty()) << "more bytes than there are";
  EXPECT_EQ(f.outbox.rtcp_dropped(), 1u);
  absl::Span<uint8_t> room = f.outbox.ReserveRtcp(20);
  ASSERT_EQ(room.size(), 20u);
  WritePacket(room);
  f.outbox.CommitRtcp(12);
  EXPECT_TRUE(f.outbox.ReserveRtcp(56).empty()) << "12 of 64 bytes are used";
  // What was reserved and not committed leaves no trace.
  EXPECT_EQ(f.outbox.ReserveRtcp(52).size(), 52u);
  f.outbox.CommitRtcp(0);
  room = f.outbox.ReserveRtcp(52);
  ASSERT_EQ(room.size(), 52u);
  WritePacket(room);
  f.outbox.CommitRtcp(12);
  EXPECT_TRUE(f.outbox.ReserveRtcp(4).empty()) << "two packets are the limit";
  EXPECT_EQ(f.outbox.rtcp_dropped(), 3u);
}

TEST(InterceptorOutboxTest, NoRtcpPacketIsLongerThanItsDatagramAllows) {
  Fixture f({.rtcp_bytes = 4096});
  EXPECT_EQ(f.outbox.ReserveRtcp(kMaxRtcpPacketSize).size(), kMaxRtcpPacketSize);
  EXPECT_TRUE(f.outbox.ReserveRtcp(kMaxRtcpPacketSize + 4).empty());
  EXPECT_EQ(f.outbox.rtcp_dropped(), 1u);
}

TEST(InterceptorOutboxDeathTest, StopsWhenMoreIsCommittedThanWasReserved) {
  Fixture f;
  ASSERT_EQ(f.outbox.ReserveRtcp(8).size(), 8u);
  EXPECT_DEATH(f.outbox.CommitRtcp(12), "12 bytes of 8");
}

TEST(InterceptorOutboxTest, RefusesAndCountsEventsThatDoNotFit) {
  Fixture f;
  EXPECT_TRUE(f.outbox.Raise(KeyFrameNeeded{Ssrc(1)}));
  EXPECT_TRUE(f.outbox.Raise(KeyFrameRequested{Ssrc(2)}));
  EXPECT_FALSE(f.outbox.Raise(KeyFrameNeeded{Ssrc(3)}));
  EXPECT_EQ(f.outbox.events_dropped(), 1u);
  ASSERT_EQ(f.outbox.events().size(), 2u);
  EXPECT_EQ(std::get<KeyFrameRequested>(f.outbox.events()[1]).ssrc, Ssrc(2));
}

TEST(InterceptorOutboxTest, WhatHadNoRoomIsToldTogether) {
  Fixture f;
  for (uint32_t i = 0; i < 3; ++i) {
    f.outbox.SendRtp(f.Rtp(), PacketSource::kProbe);
    f.outbox.Raise(KeyFrameNeeded{Ssrc(i)});
  }
  EXPECT_TRUE(f.outbox.ReserveRtcp(68).empty());
  EXPECT_TRUE(f.outbox.ReserveRtcp(68).empty());
  const InterceptorDrops drops = f.outbox.drops() + f.outbox.drops();
  EXPECT_EQ(drops.rtp, 2u);
  EXPECT_EQ(drops.rtcp, 4u);
  EXPECT_EQ(drops.events, 2u);
  EXPECT_EQ(drops.malformed, 0u);
}

TEST(InterceptorOutboxTest, EndOfTheBatchGivesEverythingBack) {
  Fixture f;
  for (int batch = 0; batch < 3; ++batch) {
    AttributesRef attributes;
    ASSERT_TRUE(attributes.Set(f.outbox.attributes(), &PacketAttributes::probe_cluster, 1u));
    EXPECT_TRUE(f.outbox.SendRtp(f.Rtp(), PacketSource::kProbe, attributes));
    EXPECT_TRUE(f.outbox.DeliverRtp(f.Rtp(), PacketSource::kRecovered));
    EXPECT_TRUE(f.outbox.Raise(KeyFrameNeeded{Ssrc(1)}));
    const absl::Span<uint8_t> room = f.outbox.ReserveRtcp(48);
    ASSERT_EQ(room.size(), 48u);
    WritePacket(room);
    f.outbox.CommitRtcp(12);
    f.outbox.EndBatch();
    EXPECT_TRUE(f.outbox.sends().empty());
    EXPECT_TRUE(f.outbox.deliveries().empty());
    EXPECT_TRUE(f.outbox.rtcp().empty());
    EXPECT_TRUE(f.outbox.events().empty());
    EXPECT_EQ(f.packets.free(), 8u);
    EXPECT_EQ(f.attributes.lent(), 0u);
  }
}

}  // namespace
}  // namespace sluice
