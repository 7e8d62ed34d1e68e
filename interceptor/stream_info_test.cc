#include "interceptor/stream_info.h"

#include "gtest/gtest.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

TEST(StreamInfoTest, FindsFormatsAndTheirRetransmission) {
  StreamInfo info;
  ASSERT_TRUE(info.AddFormat({.payload_type = PayloadType(96), .clock_rate = 90000}));
  ASSERT_TRUE(info.AddFormat({.payload_type = PayloadType(97),
                              .role = PayloadRole::kRetransmission,
                              .associated = PayloadType(96)}));
  ASSERT_TRUE(info.AddFormat({.payload_type = PayloadType(0), .clock_rate = 8000}));
  ASSERT_NE(info.FindFormat(PayloadType(0)), nullptr);
  EXPECT_EQ(info.FindFormat(PayloadType(0))->clock_rate, 8000u);
  EXPECT_EQ(info.FindFormat(PayloadType(98)), nullptr);
  ASSERT_NE(info.FindRetransmissionOf(PayloadType(96)), nullptr);
  EXPECT_EQ(info.FindRetransmissionOf(PayloadType(96))->payload_type, PayloadType(97));
  EXPECT_EQ(info.FindRetransmissionOf(PayloadType(0)), nullptr);
  EXPECT_EQ(info.FindRetransmissionOf(PayloadType(97)), nullptr);
}

TEST(StreamInfoTest, RefusesMoreFormatsThanItHolds) {
  StreamInfo info;
  for (size_t i = 0; i < kMaxStreamFormats; ++i) {
    ASSERT_TRUE(info.AddFormat({.payload_type = PayloadType(static_cast<uint8_t>(i))}));
  }
  EXPECT_FALSE(info.AddFormat({.payload_type = PayloadType(100)}));
  EXPECT_EQ(info.format_count, kMaxStreamFormats);
  EXPECT_EQ(info.FindFormat(PayloadType(100)), nullptr);
}

}  // namespace
}  // namespace sluice
