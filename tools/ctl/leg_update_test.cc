#include "tools/ctl/leg_update.h"

#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/gateway/v1/gateway_service.pb.h"
#include "proto/signalling/v1/signalling_service.pb.h"

namespace sluice {
namespace {

using ::testing::StartsWith;

TEST(LegUpdateTest, ControllersAndParticipantsSayTheSame) {
  LegUpdateFlags flags;
  flags.config.hold = true;
  flags.config.local_mki = "2:4";
  flags.local_key = "prepare";
  flags.retire_remote_mkis = {"1:1"};
  gateway::v1::UpdateLegRequest controllers;
  signalling::v1::UpdateLegRequest participants;
  EXPECT_TRUE(FillLegUpdate(flags, controllers).ok());
  EXPECT_TRUE(FillLegUpdate(flags, participants).ok());
  const std::string text = participants.ShortDebugString();
  EXPECT_EQ(text, controllers.ShortDebugString());
  EXPECT_EQ(text,
            "config { hold: true } update_mask { paths: \"hold\" } local_key_change: "
            "LOCAL_KEY_CHANGE_PREPARE local_mki: \"\\000\\000\\000\\002\" retire_remote_mkis: "
            "\"\\001\"");
}

TEST(LegUpdateTest, WhatIsWrongIsNamed) {
  const auto error_of = [](const LegUpdateFlags& flags) {
    gateway::v1::UpdateLegRequest request;
    return std::string(FillLegUpdate(flags, request).message());
  };
  LegUpdateFlags flags;
  EXPECT_THAT(error_of(flags), StartsWith("nothing to update"));
  flags.retire_remote_mkis = {"x"};
  EXPECT_THAT(error_of(flags), StartsWith("--retire-remote-key: "));
  flags.config.local_mki = "x";
  EXPECT_THAT(error_of(flags), StartsWith("--local-mki: "));
  flags.local_key = "lose";
  EXPECT_THAT(error_of(flags), StartsWith("--local-key: "));
}

}  // namespace
}  // namespace sluice
