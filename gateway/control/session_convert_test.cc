#include "gateway/control/session_convert.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/time_delta.h"
#include "gateway/config/config.h"
#include "gateway/control/field_violations.h"
#include "gateway/control/session_directory.h"
#include "gateway/control/status_convert.h"
#include "gateway/control/testing/grpc_details.h"
#include "gateway/session/session_spec.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/gateway_service.pb.h"
#include "proto/gateway/v1/session.pb.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::Pair;

template <typename Message>
Message Parse(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

TEST(SessionConvertTest, WhatIsAbsentIsTheDefault) {
  FieldViolations violations;
  const SessionSpec spec = ToSessionSpec(
      Parse<gateway::v1::CreateSessionRequest>("session_id: 'call-1'"), {}, violations);
  EXPECT_TRUE(violations.empty());
  EXPECT_EQ(spec.id, "call-1");
  EXPECT_EQ(spec.timeouts.idle, TimeDelta::Seconds(60));
  EXPECT_EQ(spec.timeouts.offer, TimeDelta::Seconds(300));
  EXPECT_EQ(spec.timeouts.absolute, TimeDelta::Seconds(86400));
  EXPECT_EQ(spec.timeouts.hold, TimeDelta::Seconds(3600));
  EXPECT_TRUE(spec.labels.empty());
}

TEST(SessionConvertTest, WhatIsSaidIsTaken) {
  FieldViolations violations;
  const SessionSpec spec =
      ToSessionSpec(Parse<gateway::v1::CreateSessionRequest>(
                        "session_id: 'call-1' config { idle_timeout { seconds: 1 } offer_timeout { "
                        "seconds: 3600 } "
                        "absolute_timeout { seconds: 604800 } hold_timeout { seconds: 86400 } "
                        "labels { key: 'tenant' value: 'x' } labels { key: 'empty' value: '' } }"),
                    {}, violations);
  EXPECT_TRUE(violations.empty()) << violations.ToStatus();
  EXPECT_EQ(spec.timeouts.idle, TimeDelta::Seconds(1));
  EXPECT_EQ(spec.timeouts.offer, TimeDelta::Seconds(3600));
  EXPECT_EQ(spec.timeouts.absolute, TimeDelta::Seconds(604800));
  EXPECT_EQ(spec.timeouts.hold, TimeDelta::Seconds(86400));
  EXPECT_THAT(spec.labels, ElementsAre(Pair("empty", ""), Pair("tenant", "x")));
}

TEST(SessionConvertTest, NamesWhatIsWrongWithANewSession) {
  const std::string key64(64, 'k');
  const std::string value256(256, 'v');
  std::string many;
  for (int i = 0; i < 17; ++i) {
    absl::StrAppend(&many, "labels { key: 'k", i, "' value: '' } ");
  }
  const struct {
    std::string request;
    std::vector<std::string> fields;
    std::string description;
  } kCases[] = {
      {"", {"session_id"}, "must be 1 to 128 characters"},
      {"session_id: 'a/b'", {"session_id"}, "must be 1 to 128 characters"},
      {"session_id: 'a' config { idle_timeout { nanos: 999999999 } }",
       {"config.idle_timeout"},
       "must be 1 s to 86400 s"},
      {"session_id: 'a' config { idle_timeout { seconds: 86401 } offer_timeout { seconds: 3601 } "
       "absolute_timeout { seconds: 604801 } hold_timeout { seconds: -1 } }",
       {"config.idle_timeout", "config.offer_timeout", "config.absolute_timeout",
        "config.hold_timeout"},
       "config.absolute_timeout: must be 1 s to 604800 s"},
      {"session_id: 'a' config { labels { key: '' value: '' } }",
       {"config.labels"},
       "a key has 0 bytes, must be 1 to 63"},
      {"session_id: 'a' config { labels { key: '" + key64 + "' } }",
       {"config.labels"},
       "a key has 64 bytes, must be 1 to 63"},
      {"session_id: 'a' config { labels { key: 'k' value: '" + value256 + "' } }",
       {"config.labels"},
       "the value of \"k\" has 256 bytes, at most 255 are kept"},
      {"session_id: 'a' config { " + many + "}",
       {"config.labels"},
       "has 17 entries, at most 16 are kept"},
  };
  for (const auto& test : kCases) {
    FieldViolations violations;
    ToSessionSpec(Parse<gateway::v1::CreateSessionRequest>(test.request), {}, violations);
    EXPECT_THAT(BadFields(ToGrpcStatus(violations.ToStatus())), ElementsAreArray(test.fields))
        << test.request;
    EXPECT_THAT(std::string(violations.ToStatus().message()), HasSubstr(test.description))
        << test.request;
  }
}

TEST(SessionConvertTest, AnUpdateChangesWhatTheMaskNames) {
  FieldViolations violations;
  const SessionUpdate update = ToSessionUpdate(
      Parse<gateway::v1::UpdateSessionRequest>(
          "session_id: 'a' config { idle_timeout { seconds: 5 } offer_timeout { seconds: 6 } "
          "labels { key: 'k' value: 'v' } } "
          "update_mask { paths: ['idle_timeout', 'absolute_timeout', 'labels'] }"),
      {}, violations);
  EXPECT_TRUE(violations.empty());
  EXPECT_EQ(update.idle, TimeDelta::Seconds(5));
  EXPECT_EQ(update.offer, std::nullopt) << "not in the mask";
  EXPECT_EQ(update.absolute, TimeDelta::Seconds(86400)) << "absent: back to the default";
  EXPECT_EQ(update.hold, std::nullopt);
  EXPECT_THAT(*update.labels, ElementsAre(Pair("k", "v")));
}

TEST(SessionConvertTest, NamesWhatIsWrongWithAnUpdate) {
  const struct {
    std::string request;
    std::vector<std::string> fields;
    std::string description;
  } kCases[] = {
      {"session_id: 'a' config { idle_timeout { seconds: 5 } }",
       {"update_mask"},
       "must name what is to change"},
      {"session_id: 'a' update_mask { paths: ['colour', 'labels.k'] }",
       {"update_mask", "update_mask"},
       "\"colour\" is not one of idle_timeout, offer_timeout, absolute_timeout, hold_timeout, "
       "labels"},
      {"session_id: ' ' config { idle_timeout { seconds: 0 } } update_mask { paths: 'idle_timeout' "
       "}",
       {"session_id", "config.idle_timeout"},
       "must be 1 s"},
  };
  for (const auto& test : kCases) {
    FieldViolations violations;
    ToSessionUpdate(Parse<gateway::v1::UpdateSessionRequest>(test.request), {}, violations);
    EXPECT_THAT(BadFields(ToGrpcStatus(violations.ToStatus())), ElementsAreArray(test.fields))
        << test.request;
    EXPECT_THAT(std::string(violations.ToStatus().message()), HasSubstr(test.description))
        << test.request;
  }
}

TEST(SessionConvertTest, ForwardingNamesLegsByValidIds) {
  FieldViolations violations;
  const std::vector<ForwardingRule> rules =
      ToForwardingRules(Parse<gateway::v1::SetForwardingRequest>(
                            "session_id: 's' rules { from_leg_id: 'a' to_leg_ids: ['b', 'c'] } "
                            "rules { from_leg_id: 'b' }"),
                        violations);
  EXPECT_TRUE(violations.empty());
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[0].from_leg, "a");
  EXPECT_THAT(rules[0].to_legs, ElementsAre("b", "c"));
  EXPECT_TRUE(rules[1].to_legs.empty());

  ToForwardingRules(Parse<gateway::v1::SetForwardingRequest>(
                        "session_id: 's' rules { from_leg_id: 'a' to_leg_ids: ['b', ''] } rules { "
                        "from_leg_id: '?' }"),
                    violations);
  EXPECT_THAT(BadFields(ToGrpcStatus(violations.ToStatus())),
              ElementsAre("rules[0].to_leg_ids[1]", "rules[1].from_leg_id"));
}

TEST(SessionConvertTest, TheSameConfigurationIsRecognised) {
  SessionSpec spec{"a", {}, {{"k", "v"}}};
  SessionSnapshot live;
  live.labels = {{"k", "v"}};
  EXPECT_TRUE(HasConfigOf(live, spec));
  spec.labels["k"] = "w";
  EXPECT_FALSE(HasConfigOf(live, spec));
  for (TimeDelta SessionTimeouts::*timeout : {&SessionTimeouts::idle, &SessionTimeouts::offer,
                                              &SessionTimeouts::absolute, &SessionTimeouts::hold}) {
    spec = {"a", {}, {{"k", "v"}}};
    spec.timeouts.*timeout = TimeDelta::Seconds(7);
    EXPECT_FALSE(HasConfigOf(live, spec));
  }
}

SessionSnapshot Snapshot() {
  SessionSnapshot snapshot;
  snapshot.id = "call-1";
  snapshot.state = SessionState::kActive;
  snapshot.labels = {{"k", "v"}};
  LegSnapshot leg;
  leg.id = "alice";
  snapshot.legs.push_back(leg);
  snapshot.forwarding = {{"alice", {"bob", "carol"}}};
  return snapshot;
}

TEST(SessionConvertTest, ALiveSessionIsShown) {
  SessionPlace place;
  place.worker = 3;
  place.created = absl::FromUnixSeconds(1'700'000'000);
  gateway::v1::Session out;
  ToProto(Snapshot(), place, out);
  EXPECT_EQ(out.session_id(), "call-1");
  EXPECT_EQ(out.state(), gateway::v1::SESSION_STATE_ACTIVE);
  EXPECT_EQ(out.config().idle_timeout().seconds(), 60);
  EXPECT_EQ(out.config().hold_timeout().seconds(), 3600);
  EXPECT_EQ(out.config().labels().at("k"), "v");
  ASSERT_EQ(out.legs_size(), 1);
  EXPECT_EQ(out.legs(0).session_id(), "call-1");
  EXPECT_EQ(out.legs(0).leg_id(), "alice");
  EXPECT_EQ(out.forwarding(0).from_leg_id(), "alice");
  EXPECT_THAT(out.forwarding(0).to_leg_ids(), ElementsAre("bob", "carol"));
  EXPECT_EQ(out.worker(), 3u);
  EXPECT_EQ(out.create_time().seconds(), 1'700'000'000);
  EXPECT_FALSE(out.has_end_time());
  EXPECT_EQ(out.end_reason(), gateway::v1::END_REASON_UNSPECIFIED);
}

TEST(SessionConvertTest, ATombstoneIsShownWithItsEnd) {
  SessionPlace place;
  SessionSnapshot report = Snapshot();
  report.end_reason = EndReason::kIdleTimeout;
  place.report = std::make_shared<SessionSnapshot>(report);
  place.ended = absl::FromUnixSeconds(1'700'000'060);
  gateway::v1::Session out;
  ToProto(report, place, out);
  EXPECT_EQ(out.state(), gateway::v1::SESSION_STATE_ENDED);
  EXPECT_EQ(out.end_time().seconds(), 1'700'000'060);
  EXPECT_EQ(out.end_reason(), gateway::v1::END_REASON_IDLE_TIMEOUT);
}

TEST(SessionConvertTest, EveryReasonHasItsName) {
  EXPECT_EQ(ToProto(std::optional<EndReason>()), gateway::v1::END_REASON_UNSPECIFIED);
  EXPECT_EQ(ToProto(std::optional(EndReason::kDeleted)), gateway::v1::END_REASON_DELETED);
  EXPECT_EQ(ToProto(std::optional(EndReason::kOfferTimeout)),
            gateway::v1::END_REASON_OFFER_TIMEOUT);
  EXPECT_EQ(ToProto(std::optional(EndReason::kAbsoluteTimeout)),
            gateway::v1::END_REASON_ABSOLUTE_TIMEOUT);
  EXPECT_EQ(ToProto(std::optional(EndReason::kHoldTimeout)), gateway::v1::END_REASON_HOLD_TIMEOUT);
}

TEST(SessionConvertTest, DefaultsAreToldAsAConfiguration) {
  gateway::v1::SessionConfig out;
  ToProto(TimeoutDefaults{.idle = TimeDelta::Millis(1500)}, out);
  EXPECT_EQ(out.idle_timeout().seconds(), 1);
  EXPECT_EQ(out.idle_timeout().nanos(), 500'000'000);
  EXPECT_EQ(out.absolute_timeout().seconds(), 86400);
}

}  // namespace
}  // namespace sluice
