#include "interceptor/intercepted_packet.h"

#include <optional>
#include <utility>

#include "gtest/gtest.h"
#include "interceptor/stream_info.h"
#include "srtp/packet_arena.h"
#include "srtp/rtp_types.h"
#include "srtp/testing/packet_builder.h"

namespace sluice {
namespace {

TEST(InterceptedRtpTest, StartsWithAHeaderWithoutAttributesAndWithoutStream) {
  PacketArena arena(1);
  PacketLoan packet = RtpPacketBuilder().WithSsrc(7).WithPayloadSize(10).BuildInto(arena);
  const std::optional<InterceptedRtp> row = InterceptedRtp::Of(packet);
  ASSERT_TRUE(row.has_value());
  EXPECT_EQ(row->view.ssrc(), Ssrc(7));
  EXPECT_EQ(row->attributes.get(), nullptr);
  EXPECT_EQ(row->stream, kNoStream);
  EXPECT_EQ(row->source, PacketSource::kForwarded);
  EXPECT_FALSE(row->taken());
}

TEST(InterceptedRtpTest, IsNotMadeOfEmptyLoansAndOtherBytes) {
  PacketArena arena(1);
  PacketLoan none;
  EXPECT_FALSE(InterceptedRtp::Of(none).has_value());
  PacketLoan packet = arena.Lend();
  EXPECT_FALSE(InterceptedRtp::Of(packet).has_value());
  ASSERT_TRUE(packet.Resize(11));
  packet.bytes()[0] = 0x80;
  EXPECT_FALSE(InterceptedRtp::Of(packet).has_value());
}

TEST(InterceptedRtpTest, TakingThePacketEmptiesTheOwnersLoan) {
  PacketArena arena(1);
  PacketLoan packet = RtpPacketBuilder().BuildInto(arena);
  std::optional<InterceptedRtp> row = InterceptedRtp::Of(packet);
  ASSERT_TRUE(row.has_value());
  {
    const PacketLoan taken = row->Take();
    EXPECT_TRUE(row->taken());
    EXPECT_FALSE(packet);
    EXPECT_EQ(arena.free(), 0u);
  }
  EXPECT_EQ(arena.free(), 1u);
}

TEST(InterceptedRtpTest, ReparseFollowsRewrittenBytes) {
  PacketArena arena(1);
  PacketLoan packet = RtpPacketBuilder().WithPayloadSize(10).BuildInto(arena);
  std::optional<InterceptedRtp> row = InterceptedRtp::Of(packet);
  ASSERT_TRUE(row.has_value());
  ASSERT_TRUE(packet.Resize(packet.size() - 4));
  ASSERT_TRUE(row->Reparse());
  EXPECT_EQ(row->view.payload().size(), 6u);
  packet.bytes()[0] = 0;
  EXPECT_FALSE(row->Reparse());
}

TEST(InterceptedRtcpTest, IsMadeOfRtcpOnly) {
  PacketArena arena(2);
  PacketLoan rtcp = RtcpPacketBuilder().AddReceiverReport(9).BuildInto(arena);
  PacketLoan rtp = RtpPacketBuilder().BuildInto(arena);
  PacketLoan none;
  std::optional<InterceptedRtcp> row = InterceptedRtcp::Of(rtcp);
  ASSERT_TRUE(row.has_value());
  EXPECT_EQ(row->view.ssrc(), Ssrc(9));
  EXPECT_FALSE(InterceptedRtcp::Of(rtp).has_value());
  EXPECT_FALSE(InterceptedRtcp::Of(none).has_value());
  row->Take().Return();
  EXPECT_TRUE(row->taken());
}

}  // namespace
}  // namespace sluice
