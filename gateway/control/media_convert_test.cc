#include "gateway/control/media_convert.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gateway/control/field_violations.h"
#include "gateway/control/status_convert.h"
#include "gateway/control/testing/grpc_details.h"
#include "gateway/leg/media_description.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/leg.pb.h"
#include "srtp/rtp_types.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

constexpr char kVp8[] = "payload_types { number: 96 encoding_name: 'VP8' clock_rate_hz: 90000 } ";

gateway::v1::LegConfig Config(const std::string& text) {
  gateway::v1::LegConfig config;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &config)) << text;
  return config;
}

// Everything of a leg's media, of which only what is wrong matters.
void ReadAll(const std::string& text, FieldViolations& violations) {
  const gateway::v1::LegConfig config = Config(text);
  ReadPayloadTypes(config, /*rtcp_mux=*/true, violations);
  ReadHeaderExtensions(config, violations);
  ReadStreamGroups(config, violations);
  ReadRemoteSsrcs(config, violations);
}

struct BadMedia {
  std::string config;
  std::vector<std::string> fields;
  std::string description;
};

void ExpectRefused(const BadMedia& test) {
  FieldViolations violations;
  ReadAll(test.config, violations);
  EXPECT_THAT(BadFields(ToGrpcStatus(violations.ToStatus())), ElementsAreArray(test.fields))
      << test.config;
  EXPECT_THAT(std::string(violations.ToStatus().message()), HasSubstr(test.description))
      << test.config;
}

TEST(MediaConvertTest, EveryFeedbackOfAPayloadTypeIsTaken) {
  FieldViolations violations;
  const auto payloads = ReadPayloadTypes(
      Config("payload_types { number: 96 clock_rate_hz: 90000 rtcp_feedback: 'nack' rtcp_feedback: "
             "'ccm fir' rtcp_feedback: 'transport-cc' } payload_types { number: 97 clock_rate_hz: "
             "90000 rtcp_feedback: 'nack pli' rtcp_feedback: 'goog-remb' rtcp_feedback: 'ack ccfb' "
             "}"),
      true, violations);
  EXPECT_TRUE(violations.empty()) << violations.ToStatus();
  ASSERT_EQ(payloads.size(), 2u);
  const StreamFeedback& first = payloads[0].feedback;
  const StreamFeedback& second = payloads[1].feedback;
  EXPECT_TRUE(first.nack && first.full_intra_request && first.transport_wide);
  EXPECT_FALSE(first.picture_loss_indication || first.receiver_estimate ||
               first.congestion_control);
  EXPECT_TRUE(second.picture_loss_indication && second.receiver_estimate &&
              second.congestion_control);
  EXPECT_FALSE(second.nack || second.full_intra_request || second.transport_wide);
}

TEST(MediaConvertTest, RetransmissionsAndRedundancyNameWhatTheyCarryInAnyOrderAndCase) {
  FieldViolations violations;
  const auto payloads = ReadPayloadTypes(
      Config(absl::StrCat(
          "payload_types { number: 97 encoding_name: 'RTX' clock_rate_hz: 90000 "
          "associated_number: 96 } ",
          kVp8,
          "payload_types { number: 63 encoding_name: 'red' clock_rate_hz: 48000 "
          "associated_number: 111 } payload_types { number: 111 clock_rate_hz: 48000 } "
          "payload_types { number: 112 encoding_name: 'rtx' clock_rate_hz: 48000 "
          "associated_number: 63 }")),
      true, violations);
  EXPECT_TRUE(violations.empty()) << violations.ToStatus();
  ASSERT_EQ(payloads.size(), 5u);
  EXPECT_EQ(payloads[0].associated, PayloadType(96));
  EXPECT_EQ(payloads[1].associated, std::nullopt);
  EXPECT_EQ(payloads[2].associated, PayloadType(111));
  EXPECT_EQ(payloads[4].associated, PayloadType(63)) << "redundancy may be repeated";
}

TEST(MediaConvertTest, NamesWhatIsWrongWithAPayloadType) {
  const std::string rtx = "payload_types { number: 97 encoding_name: 'rtx' clock_rate_hz: 90000 ";
  const std::string red = "payload_types { number: 98 encoding_name: 'red' clock_rate_hz: 90000 ";
  const std::string rtx_of_vp8 = kVp8 + rtx + "associated_number: 96 } ";
  const BadMedia kCases[] = {
      {kVp8 + rtx + "rtcp_feedback: ['nack', 'foo', 'nack sli'] associated_number: 96 }",
       {"config.payload_types[1].rtcp_feedback[1]", "config.payload_types[1].rtcp_feedback[2]"},
       "is \"foo\", must be one of \"nack\", \"nack pli\", \"ccm fir\", \"goog-remb\", "
       "\"transport-cc\", \"ack ccfb\""},
      {kVp8 + rtx + "} " + red + "}",
       {"config.payload_types[1].associated_number", "config.payload_types[2].associated_number"},
       "the payload type that \"rtx\" repeats"},
      {kVp8 + rtx + "associated_number: 95 }",
       {"config.payload_types[1].associated_number"},
       "is 95, which is not listed"},
      {rtx + "associated_number: 97 }",
       {"config.payload_types[0].associated_number"},
       "is 97, which is \"rtx\" itself"},
      {rtx_of_vp8 + red + "associated_number: 97 }",
       {"config.payload_types[2].associated_number"},
       "is 97, which is \"rtx\" itself"},
      {red + "associated_number: 98 }",
       {"config.payload_types[0].associated_number"},
       "is 98, which is \"red\" itself"},
      {absl::StrCat(kVp8,
                    "payload_types { number: 99 clock_rate_hz: 90000 associated_number: 96 }"),
       {"config.payload_types[1].associated_number"},
       "is for \"rtx\" and \"red\" only"},
  };
  for (const BadMedia& test : kCases) {
    ExpectRefused(test);
  }
}

TEST(MediaConvertTest, NamesWhatIsOutOfRange) {
  const BadMedia kCases[] = {
      {"payload_types { number: 0 clock_rate_hz: 8000 } "
       "payload_types { number: 128 clock_rate_hz: 8000 }",
       {"config.payload_types[1].number"},
       "is 128, must be 0..127"},
      {"payload_types { number: 8 clock_rate_hz: 8000 } "
       "payload_types { number: 8 clock_rate_hz: 8000 }",
       {"config.payload_types[1].number"},
       "8 is listed twice"},
      {"payload_types { number: 8 } payload_types { number: 9 clock_rate_hz: "
       "1000001 }",
       {"config.payload_types[0].clock_rate_hz", "config.payload_types[1].clock_rate_hz"},
       "is 0, must be 1..1000000"},
      {"payload_types { number: 8 clock_rate_hz: 1 encoding_name: 'two words' }",
       {"config.payload_types[0].encoding_name"},
       "printable ASCII"},
      {"remote_ssrcs: 1 remote_ssrcs: -1 remote_ssrcs: 4294967296",
       {"config.remote_ssrcs[1]", "config.remote_ssrcs[2]"},
       "is -1, must be 0..4294967295"},
      {"payload_types { number: 64 clock_rate_hz: 8000 } payload_types { number: 95 clock_rate_hz: "
       "8000 } payload_types { number: 96 clock_rate_hz: 8000 }",
       {"config.payload_types[0].number", "config.payload_types[1].number"},
       "is 64, must not be 64..95 with rtcp_mux (RFC 5761 section 4)"},
  };
  for (const BadMedia& test : kCases) {
    ExpectRefused(test);
  }
}

TEST(MediaConvertTest, AFloodOfUnknownFeedbackIsNotToldOneByOne) {
  gateway::v1::LegConfig config;
  gateway::v1::PayloadType& type = *config.add_payload_types();
  type.set_clock_rate_hz(8000);
  for (int i = 0; i < 10'000; ++i) {
    type.add_rtcp_feedback("x");
  }
  FieldViolations violations;
  ReadPayloadTypes(config, true, violations);
  EXPECT_LE(BadFields(ToGrpcStatus(violations.ToStatus())).size(), 6u);
  EXPECT_FALSE(violations.empty());
}

TEST(MediaConvertTest, HeaderExtensionsHaveOneIdEach) {
  FieldViolations violations;
  const auto extensions = ReadHeaderExtensions(
      Config(absl::StrCat("header_extensions { id: 1 uri: 'urn:a' } header_extensions { id: 255 "
                          "uri: '",
                          std::string(255, 'u'), "' }")),
      violations);
  EXPECT_TRUE(violations.empty()) << violations.ToStatus();
  EXPECT_THAT(extensions, ElementsAre(HeaderExtension{1, "urn:a"},
                                      HeaderExtension{255, std::string(255, 'u')}));
  const BadMedia kCases[] = {
      {"header_extensions { uri: 'a' } header_extensions { id: 256 uri: 'a' }",
       {"config.header_extensions[0].id", "config.header_extensions[1].id"},
       "is 256, must be 1..255"},
      {"header_extensions { id: 3 uri: 'a' } header_extensions { id: 3 uri: 'b' }",
       {"config.header_extensions[1].id"},
       "3 is listed twice"},
      {"header_extensions { id: 1 } header_extensions { id: 2 uri: 'two words' } "
       "header_extensions { id: 3 uri: '" +
           std::string(256, 'u') + "' }",
       {"config.header_extensions[0].uri", "config.header_extensions[1].uri",
        "config.header_extensions[2].uri"},
       "must be 1..255 printable ASCII characters without blanks"},
  };
  for (const BadMedia& test : kCases) {
    ExpectRefused(test);
  }
}

TEST(MediaConvertTest, EverySsrcHasOnePlaceInTheGroups) {
  FieldViolations violations;
  const auto groups = ReadStreamGroups(
      Config("remote_streams { ssrc: 4294967295 retransmission_ssrc: 0 repair_ssrc: 7 } "
             "remote_streams { ssrc: 8 }"),
      violations);
  EXPECT_TRUE(violations.empty()) << violations.ToStatus();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].ssrc, Ssrc(4294967295));
  EXPECT_EQ(groups[0].retransmission_ssrc, Ssrc(0));
  EXPECT_EQ(groups[0].repair_ssrc, Ssrc(7));
  EXPECT_EQ(groups[1].retransmission_ssrc, std::nullopt);
  EXPECT_EQ(groups[1].repair_ssrc, std::nullopt);
  const BadMedia kCases[] = {
      {"remote_streams { ssrc: -1 retransmission_ssrc: 4294967296 repair_ssrc: -7 }",
       {"config.remote_streams[0].ssrc", "config.remote_streams[0].retransmission_ssrc",
        "config.remote_streams[0].repair_ssrc"},
       "is 4294967296, must be 0..4294967295"},
      {"remote_streams { ssrc: 1 retransmission_ssrc: 2 } remote_streams { ssrc: 3 repair_ssrc: 2 "
       "}",
       {"config.remote_streams[1].repair_ssrc"},
       "2 has a place in a group already"},
      {"remote_streams { ssrc: 1 retransmission_ssrc: 1 }",
       {"config.remote_streams[0].retransmission_ssrc"},
       "1 has a place in a group already"},
      {"remote_streams {} remote_streams {}",
       {"config.remote_streams[1].ssrc"},
       "0 has a place in a group already"},
  };
  for (const BadMedia& test : kCases) {
    ExpectRefused(test);
  }
}

TEST(MediaConvertTest, ListsAreBounded) {
  const auto times = [](int count, const std::string& before, const std::string& behind) {
    std::string text;
    for (int i = 1; i <= count; ++i) {
      absl::StrAppend(&text, before, i, behind);
    }
    return text;
  };
  const std::string payload = "payload_types { clock_rate_hz: 8000 number: ";
  const std::string extension = "header_extensions { uri: 'u' id: ";
  const std::string group = "remote_streams { ssrc: ";
  FieldViolations violations;
  ReadAll(times(32, payload, " } ") + times(32, extension, " } ") + times(64, group, " } ") +
              times(64, "remote_ssrcs: ", " "),
          violations);
  EXPECT_TRUE(violations.empty()) << violations.ToStatus();
  ExpectRefused(
      {times(33, payload, " } "), {"config.payload_types"}, "has 33 entries, at most 32"});
  ExpectRefused(
      {times(65, "remote_ssrcs: ", " "), {"config.remote_ssrcs"}, "has 65 entries, at most 64"});
  ExpectRefused(
      {times(33, extension, " } "), {"config.header_extensions"}, "has 33 entries, at most 32"});
  ExpectRefused({times(65, group, " } "), {"config.remote_streams"}, "has 65 entries, at most 64"});
}

TEST(MediaConvertTest, WhatWasAskedForIsShown) {
  const std::string text =
      "payload_types { number: 96 encoding_name: 'VP8' clock_rate_hz: 90000 rtcp_feedback: 'nack' "
      "rtcp_feedback: 'nack pli' rtcp_feedback: 'ccm fir' rtcp_feedback: 'goog-remb' "
      "rtcp_feedback: 'transport-cc' rtcp_feedback: 'ack ccfb' } "
      "payload_types { number: 97 encoding_name: 'rtx' clock_rate_hz: 90000 associated_number: 96 "
      "} header_extensions { id: 3 uri: 'urn:a' }";
  FieldViolations violations;
  gateway::v1::LegConfig out;
  for (const PayloadDescription& payload : ReadPayloadTypes(Config(text), true, violations)) {
    ToProto(payload, *out.add_payload_types());
  }
  for (const HeaderExtension& extension : ReadHeaderExtensions(Config(text), violations)) {
    ToProto(extension, *out.add_header_extensions());
  }
  EXPECT_TRUE(violations.empty()) << violations.ToStatus();
  EXPECT_EQ(out.DebugString(), Config(text).DebugString());
}

}  // namespace
}  // namespace sluice
