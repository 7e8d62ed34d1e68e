#include "tools/ctl/interceptor_text.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::sluice::gateway::v1::Interceptors;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(InterceptorTextTest, SwitchesAreSetByTheirNames) {
  Interceptors interceptors;
  EXPECT_TRUE(SetInterceptor("nack=on", interceptors).ok());
  EXPECT_TRUE(SetInterceptor("pacer=off", interceptors).ok());
  EXPECT_TRUE(SetInterceptor("packet_log=on", interceptors).ok());
  EXPECT_EQ(interceptors.ShortDebugString(), "nack: true pacer: false packet_log: true");
  EXPECT_EQ(FormatInterceptors(interceptors), "nack,packet_log");
  EXPECT_EQ(FormatInterceptors(Interceptors()), "-");
}

TEST(InterceptorTextTest, WhatIsNoSwitchIsTold) {
  Interceptors interceptors;
  for (const char* text : {"", "nack", "nack=", "nack=true", "nack=on=on"}) {
    EXPECT_FALSE(SetInterceptor(text, interceptors).ok()) << text;
  }
  EXPECT_THAT(std::string(SetInterceptor("nack=yes", interceptors).message()),
              HasSubstr("write nack=on or nack=off"));
  for (const char* text : {"colour=on", "rtcp=on", "reduced_size_rtcp=on"}) {
    EXPECT_THAT(std::string(SetInterceptor(text, interceptors).message()),
                HasSubstr("with one of reports, statistics, nack, "))
        << text;
  }
  EXPECT_EQ(interceptors.ShortDebugString(), "");
  EXPECT_TRUE(SetInterceptor("nack=on", interceptors).ok());
  EXPECT_THAT(std::string(SetInterceptor("nack=off", interceptors).message()),
              HasSubstr("said already"));
  EXPECT_THAT(InterceptorNames(), StartsWith("reports, statistics, nack, "));
}

TEST(InterceptorTextTest, RtcpIsForwardedOrTerminated) {
  EXPECT_EQ(*ParseRtcpHandling("forward"), gateway::v1::RTCP_HANDLING_FORWARD);
  EXPECT_EQ(*ParseRtcpHandling("terminate"), gateway::v1::RTCP_HANDLING_TERMINATE);
  EXPECT_FALSE(ParseRtcpHandling("drop").ok());
  EXPECT_EQ(FormatRtcpHandling(gateway::v1::RTCP_HANDLING_TERMINATE), "terminate");
  EXPECT_EQ(FormatRtcpHandling(gateway::v1::RTCP_HANDLING_UNSPECIFIED), "-");
  EXPECT_EQ(FormatRtcpHandling(static_cast<gateway::v1::RtcpHandling>(9)), "9");
}

}  // namespace
}  // namespace sluice
