#include "interceptor/rtcp/packet_body.h"

#include <vector>

#include "base/testing/hex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "srtp/rtcp_packet_view.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using Bytes = std::vector<uint8_t>;

TEST(RtcpPacketBodyTest, LeavesHeaderAndPaddingOut) {
  const Bytes plain = HexBytes("83cb0001 01020304");
  const auto body = RtcpPacketBody::Parse(plain, kRtcpGoodbye);
  ASSERT_TRUE(body.has_value());
  EXPECT_EQ(body->count, 3);
  EXPECT_THAT(body->bytes, ElementsAre(1, 2, 3, 4));

  const Bytes padded = HexBytes("a3cb0002 01020304 00000004");
  const auto without = RtcpPacketBody::Parse(padded, kRtcpGoodbye);
  ASSERT_TRUE(without.has_value());
  EXPECT_THAT(without->bytes, ElementsAre(1, 2, 3, 4));

  const Bytes all_padding = HexBytes("a0cb0001 00000004");
  ASSERT_TRUE(RtcpPacketBody::Parse(all_padding, kRtcpGoodbye).has_value());
  EXPECT_TRUE(RtcpPacketBody::Parse(all_padding, kRtcpGoodbye)->bytes.empty());

  const Bytes bare = HexBytes("80cb0000");
  ASSERT_TRUE(RtcpPacketBody::Parse(bare, kRtcpGoodbye).has_value());
}

TEST(RtcpPacketBodyTest, IsNothingUnlessTypeVersionLengthAndPaddingAreRight) {
  for (const char* hex : {
           "",                   //
           "80cb00",             // no header
           "40cb0001 01020304",  // version 1
           "80ca0001 01020304",  // another type
           "80cb0000 01020304",  // shorter than what is there
           "80cb0002 01020304",  // longer
           "80cbffff 01020304",  // 262144 bytes, not none
           "a0cb0001 01020300",  // padding of 0
           "a0cb0001 01020305",  // padding over the header
           "a0cb0000",           // padding without body
       }) {
    EXPECT_FALSE(RtcpPacketBody::Parse(HexBytes(hex), kRtcpGoodbye).has_value()) << hex;
  }
}

TEST(RtcpFeedbackBodyTest, HasBothSsrcsAndWhatFollows) {
  const Bytes packet = HexBytes("81cd0003 00000001 00000002 0a0b0c0d");
  const auto body = RtcpFeedbackBody::Parse(packet, kRtcpTransportFeedback, 1);
  ASSERT_TRUE(body.has_value());
  EXPECT_EQ(body->sender, Ssrc(1));
  EXPECT_EQ(body->media, Ssrc(2));
  EXPECT_THAT(body->fci, ElementsAre(0x0a, 0x0b, 0x0c, 0x0d));
  EXPECT_FALSE(RtcpFeedbackBody::Parse(packet, kRtcpTransportFeedback, 2).has_value());
  EXPECT_FALSE(RtcpFeedbackBody::Parse(packet, kRtcpPayloadFeedback, 1).has_value());
  EXPECT_FALSE(RtcpFeedbackBody::Parse(HexBytes("81cd0001 00000001"), kRtcpTransportFeedback, 1)
                   .has_value());
  // The second SSRC is padding.
  EXPECT_FALSE(
      RtcpFeedbackBody::Parse(HexBytes("a1cd0002 00000001 00000004"), kRtcpTransportFeedback, 1)
          .has_value());
}

}  // namespace
}  // namespace sluice
