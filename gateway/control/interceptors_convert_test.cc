#include "gateway/control/interceptors_convert.h"

#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "gateway/control/field_violations.h"
#include "gateway/control/status_convert.h"
#include "gateway/control/testing/grpc_details.h"
#include "gateway/leg/interceptor_options.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/leg.pb.h"

namespace sluice {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

InterceptorConfig Read(const std::string& text) {
  gateway::v1::LegConfig config;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &config)) << text;
  FieldViolations violations;
  InterceptorConfig read = ReadInterceptors(config, violations);
  EXPECT_TRUE(violations.empty()) << violations.ToStatus();
  return read;
}

// All fields that can be absent.
std::vector<std::optional<bool>> Switches(const InterceptorConfig& config) {
  return {config.reports,
          config.statistics,
          config.nack,
          config.transport_wide_feedback,
          config.congestion_control_feedback,
          config.bandwidth_estimator,
          config.key_frame_requests,
          config.pacer,
          config.jitter_buffer,
          config.forward_error_correction,
          config.redundancy,
          config.packet_log};
}

constexpr const char* kNames[] = {"reports",
                                  "statistics",
                                  "nack",
                                  "transport_wide_feedback",
                                  "congestion_control_feedback",
                                  "bandwidth_estimator",
                                  "key_frame_requests",
                                  "pacer",
                                  "jitter_buffer",
                                  "forward_error_correction",
                                  "redundancy",
                                  "packet_log"};

TEST(InterceptorsConvertTest, WhatWasNotSaidIsAbsent) {
  for (const char* text : {"", "interceptors {}"}) {
    const InterceptorConfig config = Read(text);
    EXPECT_EQ(config.rtcp, std::nullopt);
    EXPECT_FALSE(config.reduced_size_rtcp);
    EXPECT_THAT(Switches(config), Each(std::nullopt));
  }
}

TEST(InterceptorsConvertTest, EverySwitchIsReadByItsName) {
  for (size_t i = 0; i < std::size(kNames); ++i) {
    for (const bool on : {true, false}) {
      std::vector<std::optional<bool>> expected(std::size(kNames));
      expected[i] = on;
      EXPECT_EQ(Switches(Read(std::string("interceptors { ") + kNames[i] +
                              (on ? ": true }" : ": false }"))),
                expected)
          << kNames[i];
    }
  }
}

TEST(InterceptorsConvertTest, RtcpIsForwardedOrTerminatedOrRefused) {
  EXPECT_EQ(Read("interceptors { rtcp: RTCP_HANDLING_FORWARD }").rtcp, RtcpHandling::kForward);
  EXPECT_EQ(Read("interceptors { rtcp: RTCP_HANDLING_TERMINATE }").rtcp, RtcpHandling::kTerminate);
  EXPECT_TRUE(Read("interceptors { reduced_size_rtcp: true }").reduced_size_rtcp);
  gateway::v1::LegConfig config;
  config.mutable_interceptors()->set_rtcp(static_cast<gateway::v1::RtcpHandling>(77));
  FieldViolations violations;
  ReadInterceptors(config, violations);
  EXPECT_THAT(BadFields(ToGrpcStatus(violations.ToStatus())),
              ElementsAre("config.interceptors.rtcp"));
}

TEST(InterceptorsConvertTest, EveryFieldIsShownAndShownAsItIs) {
  gateway::v1::Interceptors out;
  ToProto(InterceptorOptions(), out);
  EXPECT_EQ(out.rtcp(), gateway::v1::RTCP_HANDLING_FORWARD);
  const auto* descriptor = gateway::v1::Interceptors::descriptor();
  for (const char* name : kNames) {
    EXPECT_TRUE(out.GetReflection()->HasField(out, descriptor->FindFieldByName(name))) << name;
    EXPECT_FALSE(out.GetReflection()->GetBool(out, descriptor->FindFieldByName(name))) << name;
  }

  InterceptorOptions options;
  options.rtcp = RtcpHandling::kTerminate;
  options.reduced_size_rtcp = true;
  options.nack = true;
  options.packet_log = true;
  ToProto(options, out);
  EXPECT_EQ(out.ShortDebugString(),
            "rtcp: RTCP_HANDLING_TERMINATE reduced_size_rtcp: true reports: false "
            "statistics: false nack: true transport_wide_feedback: false "
            "congestion_control_feedback: false bandwidth_estimator: false "
            "key_frame_requests: false pacer: false jitter_buffer: false "
            "forward_error_correction: false redundancy: false packet_log: true");
}

}  // namespace
}  // namespace sluice
