#include "gateway/session/forwarding.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gateway/errors/error_detail.h"
#include "gateway/session/session_spec.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using LegIds = std::vector<absl::string_view>;

// "a>b,c b>a".
std::string InForce(const Forwarding& forwarding, const LegIds& leg_ids) {
  return absl::StrJoin(forwarding.InForce(leg_ids), " ", [](std::string* out, const auto& rule) {
    absl::StrAppend(out, rule.from_leg, ">", absl::StrJoin(rule.to_legs, ","));
  });
}

// The field or limit that an error names.
std::string Subject(const absl::Status& status) {
  const std::optional<ErrorDetail> detail = GetErrorDetail(status);
  return detail.has_value() ? detail->subject : std::string(status.ToString());
}

TEST(ForwardingTest, ExactlyTwoLegsAreABridgeUntilRulesAreSet) {
  Forwarding forwarding;
  EXPECT_EQ(InForce(forwarding, {}), "");
  EXPECT_EQ(InForce(forwarding, {"a"}), "");
  EXPECT_EQ(InForce(forwarding, {"a", "b"}), "a>b b>a");
  EXPECT_EQ(InForce(forwarding, {"a", "b", "c"}), "");
}

TEST(ForwardingTest, RulesReplaceTheBridgeForGood) {
  Forwarding forwarding;
  const LegIds ids = {"a", "b"};
  ASSERT_TRUE(forwarding.Set({{"a", {"b"}}}, ids, 4).ok());
  EXPECT_EQ(InForce(forwarding, ids), "a>b");
  ASSERT_TRUE(forwarding.Set({}, ids, 4).ok());
  EXPECT_EQ(InForce(forwarding, ids), "");
}

TEST(ForwardingTest, FansOut) {
  Forwarding forwarding;
  const LegIds ids = {"a", "b", "c", "d"};
  ASSERT_TRUE(forwarding.Set({{"a", {"b", "c", "d"}}, {"b", {}}}, ids, 3).ok());
  EXPECT_EQ(InForce(forwarding, ids), "a>b,c,d b>");
}

TEST(ForwardingTest, ErrorsNameTheFieldAndChangeNothing) {
  const LegIds ids = {"a", "b", "c"};
  const struct {
    std::vector<ForwardingRule> rules;
    std::string subject;
  } kTable[] = {
      {{{"x", {"b"}}}, "rules[0].from_leg_id"},
      {{{"", {"b"}}}, "rules[0].from_leg_id"},
      {{{"a", {"b"}}, {"a", {"c"}}}, "rules[1].from_leg_id"},
      {{{"a", {"b", "x"}}}, "rules[0].to_leg_ids[1]"},
      {{{"a", {"a"}}}, "rules[0].to_leg_ids[0]"},
      {{{"b", {"a", "c", "a"}}}, "rules[0].to_leg_ids[2]"},
      {{{"b", {}}, {"c", {"c"}}}, "rules[1].to_leg_ids[0]"},
  };
  Forwarding forwarding;
  ASSERT_TRUE(forwarding.Set({{"c", {"a"}}}, ids, 4).ok());
  for (const auto& row : kTable) {
    const absl::Status status = forwarding.Set(row.rules, ids, 4);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << row.subject;
    EXPECT_EQ(Subject(status), row.subject);
    EXPECT_EQ(InForce(forwarding, ids), "c>a");
  }
}

TEST(ForwardingTest, TooManyDestinationsNameTheLimit) {
  Forwarding forwarding;
  const absl::Status status = forwarding.Set({{"a", {"b", "c"}}}, LegIds{"a", "b", "c"}, 1);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Subject(status), "destinations_per_leg");
}

TEST(ForwardingTest, ARemovedLegIsInNoRule) {
  Forwarding forwarding;
  ASSERT_TRUE(
      forwarding.Set({{"a", {"b", "c"}}, {"b", {"a"}}, {"c", {"b"}}}, LegIds{"a", "b", "c"}, 4)
          .ok());
  forwarding.RemoveLeg("b");
  EXPECT_EQ(InForce(forwarding, {"a", "c"}), "a>c c>");
}

TEST(ForwardingTest, RemovingALegDoesNotBringTheBridgeBack) {
  Forwarding forwarding;
  ASSERT_TRUE(forwarding.Set({{"a", {"b"}}}, LegIds{"a", "b", "c"}, 4).ok());
  forwarding.RemoveLeg("b");
  EXPECT_EQ(InForce(forwarding, {"a", "c"}), "a>");
}

}  // namespace
}  // namespace sluice
