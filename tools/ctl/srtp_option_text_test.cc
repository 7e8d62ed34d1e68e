#include "tools/ctl/srtp_option_text.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

using ::sluice::gateway::v1::SrtpOptions;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<std::string>& Everything() {
  static const auto* const kEverything = new std::vector<std::string>{
      "encrypted_extension_ids=1,3,255", "cryptex=required",         "rtp_replay_window=2048",
      "rtcp_replay_window=256",          "key_derivation_rate=4096", "unencrypted_rtcp=true",
      "rtp_lifetime=900/1000",           "rtcp_lifetime=9/10",
  };
  return *kEverything;
}

TEST(SrtpOptionTextTest, EveryOptionFindsItsField) {
  const auto options = ParseSrtpOptions(Everything());
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_THAT(options->encrypted_extension_ids(), ElementsAre(1, 3, 255));
  EXPECT_EQ(options->cryptex(), gateway::v1::CRYPTEX_REQUIRED);
  EXPECT_EQ(options->rtp_replay_window(), 2048u);
  EXPECT_EQ(options->rtcp_replay_window(), 256u);
  EXPECT_EQ(options->key_derivation_rate(), 4096u);
  EXPECT_TRUE(options->unencrypted_rtcp());
  EXPECT_EQ(options->rtp_lifetime().soft(), 900u);
  EXPECT_EQ(options->rtp_lifetime().hard(), 1000u);
  EXPECT_EQ(options->rtcp_lifetime().hard(), 10u);
}

TEST(SrtpOptionTextTest, AHardLimitAloneLeavesTheSoftOneToTheGateway) {
  const auto options = ParseSrtpOptions({"rtp_lifetime=1000"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_FALSE(options->rtp_lifetime().has_soft());
  EXPECT_EQ(options->rtp_lifetime().hard(), 1000u);
}

TEST(SrtpOptionTextTest, NothingSaidIsNothingSet) {
  const auto options = ParseSrtpOptions({});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->SerializeAsString(), "");
}

TEST(SrtpOptionTextTest, WhatIsPrintedCanBeTyped) {
  const auto options = ParseSrtpOptions(Everything());
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(FormatSrtpOptions(*options),
            "encrypted_extension_ids=1,3,255 cryptex=required rtp_replay_window=2048 "
            "rtcp_replay_window=256 key_derivation_rate=4096 unencrypted_rtcp=true "
            "rtp_lifetime=900/1000 rtcp_lifetime=9/10");
}

TEST(SrtpOptionTextTest, DefaultsGoWithoutSaying) {
  SrtpOptions options;
  EXPECT_EQ(FormatSrtpOptions(options), "-");
  // As the gateway tells them.
  options.set_cryptex(gateway::v1::CRYPTEX_OFF);
  options.set_rtp_replay_window(1024);
  options.set_rtcp_replay_window(128);
  options.mutable_rtp_lifetime()->set_soft((uint64_t{1} << 48) / 8 * 7);
  options.mutable_rtp_lifetime()->set_hard(uint64_t{1} << 48);
  options.mutable_rtcp_lifetime()->set_soft((uint64_t{1} << 31) / 8 * 7);
  options.mutable_rtcp_lifetime()->set_hard(uint64_t{1} << 31);
  EXPECT_EQ(FormatSrtpOptions(options), "-");
}

TEST(SrtpOptionTextTest, ErrorsSayWhatToWrite) {
  const struct {
    const char* text;
    const char* reason;
  } kCases[] = {
      {"colour=red", "'colour=red' is not KEY=VALUE with one of encrypted_extension_ids, cryptex"},
      {"cryptex", "write cryptex=off, on or required"},
      {"cryptex=unspecified", "write cryptex=off, on or required"},
      {"encrypted_extension_ids=1,,2", "write encrypted_extension_ids=1,3"},
      {"rtp_replay_window=-1", "write rtp_replay_window=2048"},
      {"rtcp_replay_window=99999999999", "write rtcp_replay_window=256"},
      {"key_derivation_rate=often", "write key_derivation_rate=4096"},
      {"unencrypted_rtcp=yes", "write unencrypted_rtcp=true or false"},
      {"rtp_lifetime=1/2/3", "write rtp_lifetime=900000/1000000"},
      {"rtcp_lifetime=/5", "write rtcp_lifetime=9000/10000"},
  };
  for (const auto& test : kCases) {
    const auto options = ParseSrtpOptions({test.text});
    ASSERT_FALSE(options.ok()) << test.text;
    EXPECT_THAT(std::string(options.status().message()), HasSubstr(test.reason));
  }
}

}  // namespace
}  // namespace sluice
