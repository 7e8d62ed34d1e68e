#include "tools/ctl/media_text.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::HasSubstr;

std::string PayloadTypeOf(const std::string& text) {
  const auto type = ParsePayloadType(text);
  return type.ok() ? type->ShortDebugString() : std::string(type.status().message());
}

TEST(MediaTextTest, APayloadTypeAsInSdp) {
  EXPECT_EQ(PayloadTypeOf("111:opus/48000"),
            "number: 111 encoding_name: \"opus\" clock_rate_hz: 48000");
  EXPECT_EQ(PayloadTypeOf("96:VP8/90000:nack,nack-pli,ccm-fir,goog-remb,transport-cc,ack-ccfb"),
            "number: 96 encoding_name: \"VP8\" clock_rate_hz: 90000 rtcp_feedback: \"nack\" "
            "rtcp_feedback: \"nack pli\" rtcp_feedback: \"ccm fir\" rtcp_feedback: \"goog-remb\" "
            "rtcp_feedback: \"transport-cc\" rtcp_feedback: \"ack ccfb\"");
  EXPECT_EQ(PayloadTypeOf("97:rtx/90000:apt=96"),
            "number: 97 encoding_name: \"rtx\" clock_rate_hz: 90000 associated_number: 96");
  EXPECT_EQ(PayloadTypeOf("63:red/48000:apt=111,transport-cc"),
            "number: 63 encoding_name: \"red\" clock_rate_hz: 48000 associated_number: 111 "
            "rtcp_feedback: \"transport-cc\"");
}

TEST(MediaTextTest, APayloadTypeWithColonsOnly) {
  EXPECT_EQ(PayloadTypeOf("111:opus:48000"),
            "number: 111 encoding_name: \"opus\" clock_rate_hz: 48000");
  EXPECT_EQ(PayloadTypeOf("111:opus:48000:transport-cc"),
            "number: 111 encoding_name: \"opus\" clock_rate_hz: 48000 rtcp_feedback: "
            "\"transport-cc\"");
  EXPECT_EQ(PayloadTypeOf("111:opus"), "number: 111 encoding_name: \"opus\"");
  EXPECT_EQ(PayloadTypeOf("8"), "number: 8");
  EXPECT_EQ(PayloadTypeOf("8::8000"), "number: 8 clock_rate_hz: 8000");
}

TEST(MediaTextTest, WhatIsNoPayloadTypeIsTold) {
  for (const char* text :
       {"", "opus", "-1", "+1", " 1", "111:opus/", "111:opus/x", "111:opus/48000/2",
        "111:opus:nack", "111:opus/48000:nack:nack", "111:opus:1:nack:nack", "4294967296"}) {
    EXPECT_THAT(PayloadTypeOf(text), HasSubstr("is not NUMBER:NAME/CLOCK")) << text;
  }
  EXPECT_THAT(PayloadTypeOf("96:VP8/90000:nack,pli"),
              HasSubstr("'pli' in '96:VP8/90000:nack,pli' is neither apt=NUMBER, once, nor one of "
                        "nack, nack-pli, ccm-fir, goog-remb, transport-cc, ack-ccfb"));
  for (const char* text : {"97:rtx/1:apt=", "97:rtx/1:apt=x", "97:rtx/1:apt=1,apt=2",
                           "97:rtx/1:", "97:rtx/1:nack pli"}) {
    EXPECT_THAT(PayloadTypeOf(text), HasSubstr("is neither apt=NUMBER")) << text;
  }
}

TEST(MediaTextTest, AnExtensionIsItsIdAndUri) {
  const auto extension = ParseHeaderExtension("3=urn:a?b=c");
  ASSERT_TRUE(extension.ok()) << extension.status();
  EXPECT_EQ(extension->ShortDebugString(), "id: 3 uri: \"urn:a?b=c\"");
  for (const char* text : {"", "3", "3=", "=urn:a", "x=urn:a", "-3=urn:a"}) {
    EXPECT_THAT(std::string(ParseHeaderExtension(text).status().message()),
                HasSubstr("is not ID=URI"))
        << text;
  }
}

TEST(MediaTextTest, StreamsOfOneGroup) {
  const auto group_of = [](const char* text) {
    const auto group = ParseStreamGroup(text);
    return group.ok() ? group->ShortDebugString() : std::string(group.status().message());
  };
  EXPECT_EQ(group_of("7"), "ssrc: 7");
  EXPECT_EQ(group_of("4294967295,rtx=0x0000beef"), "ssrc: 4294967295 retransmission_ssrc: 48879");
  EXPECT_EQ(group_of("1,fec=3,rtx=2"), "ssrc: 1 retransmission_ssrc: 2 repair_ssrc: 3");
  for (const char* text : {"", "x", "-1", "4294967296", "0x100000000", "0x", "1,", "1,2", "rtx=2",
                           "1,rtx=", "1,rtx=2,rtx=3", "1,fec=2,fec=3", "1,red=2"}) {
    EXPECT_THAT(group_of(text), HasSubstr("is not SSRC[,rtx=SSRC][,fec=SSRC]")) << text;
  }
}

}  // namespace
}  // namespace sluice
