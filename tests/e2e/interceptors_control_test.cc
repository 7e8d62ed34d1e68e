// What a controller may ask of a leg's interceptors, what it is told of them, and what the gateway
// holds for them.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "tests/e2e/control_client.h"
#include "tests/e2e/error_info.h"
#include "tests/e2e/gateway_fixture.h"

namespace sluice {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using Stub = ControlClient::Stub;

// VP8 with retransmissions, as most browsers negotiate it.
constexpr char kVideo[] =
    "kind: LEG_KIND_SRTP rtcp_mux: true "
    "payload_types { number: 96 encoding_name: 'VP8' clock_rate_hz: 90000 "
    "  rtcp_feedback: 'nack' rtcp_feedback: 'nack pli' rtcp_feedback: 'ccm fir' } "
    "payload_types { number: 97 encoding_name: 'rtx' clock_rate_hz: 90000 "
    "  associated_number: 96 } ";
constexpr char kAudio[] =
    "kind: LEG_KIND_SRTP payload_types { number: 111 encoding_name: 'opus' clock_rate_hz: 48000 } ";
constexpr char kTransportSequence[] =
    "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01";

pb::LegConfig Config(absl::string_view text) {
  pb::LegConfig config;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(std::string(text), &config)) << text;
  return config;
}

// A config that makes no sense, and the field that is at fault.
struct BadConfig {
  std::string config;
  std::string field;
};

class InterceptorsControlTest : public GatewayFixture {
 protected:
  explicit InterceptorsControlTest(const GatewayOptions& options = {}) : GatewayFixture(options) {}

  void SetUp() override {
    GatewayFixture::SetUp();
    control().CreateSession("call");
  }

  ErrorInfo RefusalOf(absl::string_view leg_id, const pb::LegConfig& config) {
    pb::AddLegRequest request;
    request.set_session_id("call");
    request.set_leg_id(std::string(leg_id));
    *request.mutable_config() = config;
    pb::AddLegResponse response;
    return ErrorInfoOf(control().Call(&Stub::AddLeg, request, &response));
  }
  ErrorInfo RefusalOf(const pb::UpdateLegRequest& request) {
    pb::UpdateLegResponse response;
    return ErrorInfoOf(control().Call(&Stub::UpdateLeg, request, &response));
  }
  void ExpectBad(const std::vector<BadConfig>& table) {
    for (const BadConfig& row : table) {
      SCOPED_TRACE(row.config);
      const ErrorInfo error = RefusalOf("new", Config(row.config));
      EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT) << error;
      EXPECT_THAT(error.fields, Contains(row.field)) << error;
    }
    EXPECT_EQ(control().GetSession("call").legs_size(), 0);
    EXPECT_EQ(LimitOf(control().GetNode(), "interceptor_kib").used(), 0u);
  }
};

TEST_F(InterceptorsControlTest, WhatWasNotNegotiatedIsRefusedByField) {
  std::vector<BadConfig> table;
  for (const char* name :
       {"nack", "transport_wide_feedback", "congestion_control_feedback", "bandwidth_estimator",
        "key_frame_requests", "forward_error_correction", "redundancy"}) {
    table.push_back(
        {absl::StrCat(kAudio, "interceptors { rtcp: RTCP_HANDLING_TERMINATE ", name, ": true }"),
         absl::StrCat("config.interceptors.", name)});
  }
  // Without the header extension there are no numbers to report on.
  table.push_back(
      {"kind: LEG_KIND_RTP payload_types { number: 96 clock_rate_hz: 90000 "
       "rtcp_feedback: 'transport-cc' } "
       "interceptors { transport_wide_feedback: true }",
       "config.interceptors.transport_wide_feedback"});
  // Who forwards RTCP writes none.
  for (const char* name : {"reports", "nack", "key_frame_requests"}) {
    table.push_back(
        {absl::StrCat(kVideo, "interceptors { rtcp: RTCP_HANDLING_FORWARD ", name, ": true }"),
         absl::StrCat("config.interceptors.", name)});
  }
  table.push_back({absl::StrCat(kVideo, "interceptors { rtcp: 77 }"), "config.interceptors.rtcp"});
  ExpectBad(table);
}

TEST_F(InterceptorsControlTest, AMediaDescriptionThatMakesNoSenseIsRefusedByField) {
  const auto type = [](absl::string_view more) {
    return absl::StrCat("kind: LEG_KIND_RTP payload_types { number: 96 clock_rate_hz: 90000 ", more,
                        " }");
  };
  const auto extensions = [](absl::string_view more) {
    return absl::StrCat("kind: LEG_KIND_RTP ", more);
  };
  const std::string number = "config.payload_types[0].associated_number";
  ExpectBad({
      {type("encoding_name: 'rtx'"), number},
      {type("encoding_name: 'red'"), number},
      {type("encoding_name: 'rtx' associated_number: 95"), number},
      {type("encoding_name: 'rtx' associated_number: 96"), number},
      {type("encoding_name: 'VP8' associated_number: 96"), number},
      {type("rtcp_feedback: 'nack' rtcp_feedback: 'nack sli'"),
       "config.payload_types[0].rtcp_feedback[1]"},
      {extensions("header_extensions { id: 0 uri: 'urn:x' }"), "config.header_extensions[0].id"},
      {extensions("header_extensions { id: 256 uri: 'urn:x' }"), "config.header_extensions[0].id"},
      {extensions("header_extensions { id: 1 uri: 'urn:x' } "
                  "header_extensions { id: 1 uri: 'urn:y' }"),
       "config.header_extensions[1].id"},
      {extensions("header_extensions { id: 1 }"), "config.header_extensions[0].uri"},
      {extensions("header_extensions { id: 1 uri: 'urn: x' }"), "config.header_extensions[0].uri"},
      {extensions("remote_streams { ssrc: -1 }"), "config.remote_streams[0].ssrc"},
      {extensions("remote_streams { ssrc: 1 retransmission_ssrc: 4294967296 }"),
       "config.remote_streams[0].retransmission_ssrc"},
      {extensions("remote_streams { ssrc: 1 } remote_streams { ssrc: 2 repair_ssrc: 1 }"),
       "config.remote_streams[1].repair_ssrc"},
  });
}

TEST_F(InterceptorsControlTest, DefaultsFollowFromWhatWasNegotiated) {
  const pb::Interceptors plain =
      control().AddLeg("call", "audio", Config(kAudio)).leg().interceptors();
  EXPECT_EQ(plain.rtcp(), pb::RTCP_HANDLING_FORWARD);
  EXPECT_TRUE(plain.has_reports() && !plain.reports());
  EXPECT_TRUE(plain.has_statistics() && !plain.statistics());
  EXPECT_TRUE(plain.has_nack() && !plain.nack());

  const pb::Leg video = control().AddLeg("call", "video", Config(kVideo)).leg();
  const pb::Interceptors& in_force = video.interceptors();
  EXPECT_EQ(in_force.rtcp(), pb::RTCP_HANDLING_TERMINATE);
  EXPECT_TRUE(in_force.reports());
  EXPECT_TRUE(in_force.statistics());
  EXPECT_TRUE(in_force.nack());
  EXPECT_TRUE(in_force.key_frame_requests());
  EXPECT_TRUE(in_force.has_transport_wide_feedback() && !in_force.transport_wide_feedback());
  EXPECT_TRUE(in_force.has_bandwidth_estimator() && !in_force.bandwidth_estimator());
  EXPECT_TRUE(in_force.has_pacer() && !in_force.pacer());
  EXPECT_TRUE(in_force.has_jitter_buffer() && !in_force.jitter_buffer());
  ASSERT_EQ(video.payload_types_size(), 2);
  EXPECT_THAT(video.payload_types(0).rtcp_feedback(), ElementsAre("nack", "nack pli", "ccm fir"));
  EXPECT_EQ(video.payload_types(1).associated_number(), 96u);

  pb::LegConfig wide =
      Config(absl::StrCat("kind: LEG_KIND_SRTP payload_types { number: 96 clock_rate_hz: 90000 "
                          "rtcp_feedback: 'transport-cc' } header_extensions { id: 3 uri: '",
                          kTransportSequence, "' }"));
  const pb::Leg estimated = control().AddLeg("call", "wide", wide).leg();
  EXPECT_TRUE(estimated.interceptors().transport_wide_feedback());
  EXPECT_TRUE(estimated.interceptors().bandwidth_estimator());
  EXPECT_FALSE(estimated.interceptors().nack());
  ASSERT_EQ(estimated.header_extensions_size(), 1);
  EXPECT_EQ(estimated.header_extensions(0).uri(), kTransportSequence);
}

TEST_F(InterceptorsControlTest, AnUpdateChangesWhatIsNamedAndARefusedOneNothing) {
  control().AddLeg("call", "video", Config(kVideo));
  const pb::Leg without_nack =
      control()
          .UpdateLeg(LegUpdateOf("call", "video", Config("interceptors { nack: false }"),
                                 {"interceptors"}))
          .leg();
  EXPECT_FALSE(without_nack.interceptors().nack());
  EXPECT_TRUE(without_nack.interceptors().key_frame_requests());

  const ErrorInfo error = RefusalOf(
      LegUpdateOf("call", "video", Config("interceptors { congestion_control_feedback: true }"),
                  {"interceptors"}));
  EXPECT_EQ(error.code, grpc::StatusCode::INVALID_ARGUMENT) << error;
  EXPECT_THAT(error.fields, ElementsAre("config.interceptors.congestion_control_feedback"));
  EXPECT_EQ(control().GetSession("call").legs(0).interceptors().DebugString(),
            without_nack.interceptors().DebugString());

  // What follows from the media description follows a new one.
  const pb::Leg audio = control()
                            .UpdateLeg(LegUpdateOf("call", "video", Config(kAudio),
                                                   {"payload_types", "interceptors"}))
                            .leg();
  EXPECT_EQ(audio.interceptors().rtcp(), pb::RTCP_HANDLING_FORWARD);
  EXPECT_FALSE(audio.interceptors().key_frame_requests());
  EXPECT_EQ(LimitOf(control().GetNode(), "interceptor_kib").used(), 0u);
}

// Room for the interceptors of one leg with repair, and not of two; and for no pacer.
class InterceptorLimitsTest : public InterceptorsControlTest {
 protected:
  InterceptorLimitsTest()
      : InterceptorsControlTest({.workers = 1,
                                 .config = "limits { interceptor_kib: 700 "
                                           "held_packets: 100 }"}) {}
};

TEST_F(InterceptorLimitsTest, WhatLegsTakeIsCountedRefusedByNameAndComesBack) {
  control().AddLeg("call", "first", Config(kVideo));
  const pb::LimitUsage taken = LimitOf(control().GetNode(), "interceptor_kib");
  EXPECT_EQ(taken.limit(), 700u);
  EXPECT_GT(taken.used(), 350u);
  EXPECT_EQ(taken.refused(), 0u);

  const ErrorInfo error = RefusalOf("second", Config(kVideo));
  EXPECT_EQ(error.code, grpc::StatusCode::RESOURCE_EXHAUSTED) << error;
  EXPECT_THAT(error.limits, ElementsAre("interceptor_kib"));
  EXPECT_EQ(LimitOf(control().GetNode(), "interceptor_kib").refused(), 1u);
  EXPECT_EQ(LimitOf(control().GetNode(), "interceptor_kib").used(), taken.used());
  // Nor may a leg grow into it.
  control().AddLeg("call", "second", Config(kAudio));
  EXPECT_THAT(RefusalOf(LegUpdateOf("call", "second", Config(kVideo), {"payload_types"})).limits,
              ElementsAre("interceptor_kib"));

  control().RemoveLeg("call", "first");
  EXPECT_EQ(LimitOf(control().GetNode(), "interceptor_kib").used(), 0u);
  EXPECT_TRUE(control()
                  .UpdateLeg(LegUpdateOf("call", "second", Config(kVideo), {"payload_types"}))
                  .leg()
                  .interceptors()
                  .nack());
}

TEST_F(InterceptorLimitsTest, PacketsThatWaitHaveALimitOfTheirOwn) {
  const ErrorInfo error =
      RefusalOf("paced", Config(absl::StrCat(kAudio, "interceptors { pacer: true }")));
  EXPECT_EQ(error.code, grpc::StatusCode::RESOURCE_EXHAUSTED) << error;
  EXPECT_THAT(error.limits, ElementsAre("held_packets"));
  const pb::LimitUsage held = LimitOf(control().GetNode(), "held_packets");
  EXPECT_EQ(held.limit(), 100u);
  EXPECT_EQ(held.used(), 0u);
  EXPECT_EQ(held.refused(), 1u);
  EXPECT_EQ(LimitOf(control().GetNode(), "interceptor_kib").used(), 0u);
}

}  // namespace
}  // namespace sluice
