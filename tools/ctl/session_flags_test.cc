#include "tools/ctl/session_flags.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(SessionFlagsTest, EveryFlagFindsItsField) {
  SessionFlags flags;
  flags.idle_timeout = "30s";
  flags.offer_timeout = "1m";
  flags.absolute_timeout = "2h";
  flags.hold_timeout = "10m";
  flags.labels = {"tenant=acme", "note=a=b", "empty="};
  const auto config = BuildSessionConfig(flags);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->idle_timeout().seconds(), 30);
  EXPECT_EQ(config->offer_timeout().seconds(), 60);
  EXPECT_EQ(config->absolute_timeout().seconds(), 7200);
  EXPECT_EQ(config->hold_timeout().seconds(), 600);
  EXPECT_EQ(config->labels().at("tenant"), "acme");
  EXPECT_EQ(config->labels().at("note"), "a=b");
  EXPECT_EQ(config->labels().at("empty"), "");
  EXPECT_THAT(
      BuildSessionUpdateMask(flags).paths(),
      ElementsAre("idle_timeout", "offer_timeout", "absolute_timeout", "hold_timeout", "labels"));
}

TEST(SessionFlagsTest, NothingSaidIsNothingAskedFor) {
  EXPECT_FALSE(BuildSessionConfig({})->has_idle_timeout());
  EXPECT_THAT(BuildSessionUpdateMask({}).paths(), IsEmpty());
  SessionFlags flags;
  flags.no_labels = true;
  EXPECT_THAT(BuildSessionUpdateMask(flags).paths(), ElementsAre("labels"));
}

TEST(SessionFlagsTest, ErrorsBeginWithTheFlag) {
  SessionFlags flags;
  flags.hold_timeout = "10";
  EXPECT_THAT(std::string(BuildSessionConfig(flags).status().message()),
              StartsWith("--hold-timeout: '10'"));
  for (const std::vector<std::string>& labels :
       {std::vector<std::string>{"tenant"}, {"=acme"}, {"a=1", "a=2"}}) {
    flags = {};
    flags.labels = labels;
    EXPECT_THAT(std::string(BuildSessionConfig(flags).status().message()), StartsWith("--label: "));
  }
  flags.labels = {"a=1"};
  flags.no_labels = true;
  EXPECT_FALSE(BuildSessionConfig(flags).ok());
}

TEST(SessionFlagsTest, ForwardingRules) {
  const auto table = ParseForwarding({"alice=bob", "bob=alice,recorder", "carol="});
  ASSERT_TRUE(table.ok()) << table.status();
  ASSERT_EQ(table->size(), 3u);
  EXPECT_EQ((*table)[1].from_leg_id(), "bob");
  EXPECT_THAT((*table)[1].to_leg_ids(), ElementsAre("alice", "recorder"));
  EXPECT_THAT((*table)[2].to_leg_ids(), IsEmpty());
  for (const char* rule : {"alice", "", "=bob"}) EXPECT_FALSE(ParseForwarding({rule}).ok()) << rule;
}

TEST(SessionFlagsTest, Filter) {
  const auto filter = BuildSessionFilter("call-", {"tenant=acme"}, true);
  ASSERT_TRUE(filter.ok());
  EXPECT_EQ(filter->session_id_prefix(), "call-");
  EXPECT_EQ(filter->labels().at("tenant"), "acme");
  EXPECT_EQ(filter->state(), gateway::v1::SESSION_STATE_ENDED);
  EXPECT_FALSE(BuildSessionFilter("", {"tenant"}, false).ok());
}

}  // namespace
}  // namespace sluice
