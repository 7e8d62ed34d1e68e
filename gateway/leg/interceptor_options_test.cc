#include "gateway/leg/interceptor_options.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "gateway/leg/media_description.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "interceptor/stream_info.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

using ::testing::HasSubstr;

PayloadDescription Video(StreamFeedback feedback) {
  PayloadDescription type;
  type.payload_type = PayloadType(96);
  type.encoding_name = "VP8";
  type.clock_rate = 90000;
  type.feedback = feedback;
  return type;
}

PayloadDescription Named(const std::string& name) {
  PayloadDescription type = Video({});
  type.encoding_name = name;
  return type;
}

InterceptorOptions Resolved(const InterceptorConfig& config,
                            const std::vector<PayloadDescription>& types,
                            const std::vector<HeaderExtension>& extensions = {}) {
  const auto options = ResolveInterceptors(config, types, extensions);
  EXPECT_TRUE(options.ok()) << options.status();
  return options.value_or(InterceptorOptions());
}

TEST(InterceptorOptionsTest, ALegWithoutFeedbackForwardsRtcpAndHasNoInterceptors) {
  const InterceptorOptions options = Resolved({}, {Named("PCMU")});
  EXPECT_EQ(options, InterceptorOptions());
  EXPECT_FALSE(options.any());
}

TEST(InterceptorOptionsTest, NegotiatedFeedbackMakesTheGatewayTheRtcpPartner) {
  const InterceptorOptions options =
      Resolved({}, {Video({.nack = true, .picture_loss_indication = true})});
  EXPECT_EQ(options.rtcp, RtcpHandling::kTerminate);
  EXPECT_TRUE(options.reports);
  EXPECT_TRUE(options.statistics);
  EXPECT_TRUE(options.nack);
  EXPECT_TRUE(options.key_frame_requests);
  EXPECT_FALSE(options.transport_wide_feedback);
  EXPECT_FALSE(options.bandwidth_estimator);
  EXPECT_FALSE(options.pacer);
  EXPECT_FALSE(options.jitter_buffer);
}

TEST(InterceptorOptionsTest, TransportWideFeedbackNeedsItsExtensionToo) {
  const std::vector<PayloadDescription> types = {Video({.transport_wide = true})};
  EXPECT_FALSE(Resolved({}, types).transport_wide_feedback);
  const InterceptorOptions options = Resolved({}, types, {{3, kTransportSequenceUri}});
  EXPECT_TRUE(options.transport_wide_feedback);
  EXPECT_TRUE(options.bandwidth_estimator);
}

TEST(InterceptorOptionsTest, CongestionControlFeedbackBringsTheEstimator) {
  const InterceptorOptions options = Resolved({}, {Video({.congestion_control = true})});
  EXPECT_TRUE(options.congestion_control_feedback);
  EXPECT_TRUE(options.bandwidth_estimator);
}

TEST(InterceptorOptionsTest, ReportsCanBeHadWithoutFeedback) {
  InterceptorConfig config;
  config.reports = true;
  const InterceptorOptions options = Resolved(config, {Named("PCMU")});
  EXPECT_EQ(options.rtcp, RtcpHandling::kTerminate);
  EXPECT_TRUE(options.reports);
}

TEST(InterceptorOptionsTest, WhoForwardsRtcpWritesNone) {
  InterceptorConfig config;
  config.rtcp = RtcpHandling::kForward;
  const InterceptorOptions options = Resolved(config, {Video({.nack = true})});
  EXPECT_FALSE(options.any());
}

TEST(InterceptorOptionsTest, ParityIsReadWhereItWasNegotiatedAndEncodingNamesHaveNoCase) {
  const InterceptorOptions options = Resolved({}, {Named("FlexFEC-03")});
  EXPECT_TRUE(options.forward_error_correction);
  EXPECT_FALSE(Resolved({}, {Named("red")}).redundancy);
}

TEST(InterceptorOptionsTest, EachCanBeSwitchedOff) {
  InterceptorConfig config;
  config.nack = false;
  config.reports = false;
  config.statistics = false;
  const InterceptorOptions options =
      Resolved(config, {Video({.nack = true, .full_intra_request = true})});
  EXPECT_FALSE(options.nack);
  EXPECT_FALSE(options.reports);
  EXPECT_FALSE(options.statistics);
  EXPECT_TRUE(options.key_frame_requests);
}

TEST(InterceptorOptionsTest, WhatWasNotNegotiatedIsRefusedByName) {
  struct Row {
    absl::string_view field;
    std::optional<bool> InterceptorConfig::*member;
    absl::string_view says;
  };
  const Row rows[] = {
      {"nack", &InterceptorConfig::nack, "\"nack\""},
      {"transport_wide_feedback", &InterceptorConfig::transport_wide_feedback, "transport-cc"},
      {"congestion_control_feedback", &InterceptorConfig::congestion_control_feedback, "ack ccfb"},
      {"key_frame_requests", &InterceptorConfig::key_frame_requests, "nack pli"},
      {"bandwidth_estimator", &InterceptorConfig::bandwidth_estimator, "feedback"},
      {"forward_error_correction", &InterceptorConfig::forward_error_correction, "flexfec-03"},
      {"redundancy", &InterceptorConfig::redundancy, "red"},
  };
  for (const Row& row : rows) {
    InterceptorConfig config;
    config.*row.member = true;
    const auto options = ResolveInterceptors(config, {Named("VP8")}, {});
    EXPECT_EQ(options.status().code(), absl::StatusCode::kInvalidArgument) << row.field;
    EXPECT_THAT(std::string(options.status().message()), HasSubstr(row.says)) << row.field;
  }
}

TEST(InterceptorOptionsTest, ReportsOfAForwardingLegAreRefused) {
  InterceptorConfig config;
  config.rtcp = RtcpHandling::kForward;
  config.reports = true;
  EXPECT_THAT(std::string(ResolveInterceptors(config, {}, {}).status().message()),
              HasSubstr("RTCP_HANDLING_TERMINATE"));
}

}  // namespace
}  // namespace sluice
