#include "gateway/quic/reset_secret.h"

#include <sys/stat.h>

#include <fstream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/testing/hex.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

const std::string kDigits = std::string(60, '1') + "aBc9";

std::string FileWith(const std::string& text, mode_t mode) {
  const std::string path = absl::StrCat(
      ::testing::TempDir(), "/", ::testing::UnitTest::GetInstance()->current_test_info()->name());
  std::ofstream(path) << text;
  EXPECT_EQ(chmod(path.c_str(), mode), 0);
  return path;
}

TEST(ResetSecretTest, BlanksAroundTheDigitsMeanNothing) {
  for (const std::string& text : {kDigits, kDigits + "\n", "\n  " + kDigits + " \r\n\n"}) {
    const absl::StatusOr<StatelessReset::Secret> secret = ParseResetSecret(text);
    ASSERT_TRUE(secret.ok()) << secret.status();
    EXPECT_EQ(ToHex(secret->span()), std::string(60, '1') + "abc9");
  }
}

TEST(ResetSecretTest, WhatIsNoSecretIsRefusedAndNotRepeated) {
  for (const std::string& text :
       {std::string(), std::string(" \n"), std::string(63, '1'), std::string(65, '1'),
        std::string(63, '1') + "g", kDigits + "\n" + kDigits}) {
    const absl::Status status = ParseResetSecret(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_FALSE(absl::StrContains(status.message(), "1111")) << status;
    EXPECT_TRUE(absl::StrContains(status.message(), "64 hex digits")) << status;
  }
}

TEST(ResetSecretTest, AFileOfItsOwnerIsRead) {
  EXPECT_TRUE(LoadResetSecret(FileWith(kDigits, 0600)).ok());
  EXPECT_TRUE(LoadResetSecret(FileWith(kDigits, 0440)).ok());
}

TEST(ResetSecretTest, AFileThatOthersCanReadIsRefused) {
  for (const mode_t mode : {0604, 0644, 0620, 0602}) {
    const absl::Status status = LoadResetSecret(FileWith(kDigits, mode)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << mode;
    EXPECT_TRUE(absl::StrContains(status.message(), "chmod 600")) << status;
  }
}

TEST(ResetSecretTest, ErrorsNameTheFile) {
  const std::string wrong = FileWith("no secret", 0600);
  EXPECT_TRUE(absl::StrContains(LoadResetSecret(wrong).status().message(), wrong));
  const std::string large = FileWith(std::string(1025, ' '), 0600);
  EXPECT_TRUE(absl::StrContains(LoadResetSecret(large).status().message(), "far too large"));
  const absl::Status missing = LoadResetSecret("/nowhere/secret").status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(absl::StrContains(missing.message(), "/nowhere/secret: No such file")) << missing;
  // A folder opens and cannot be read.
  EXPECT_FALSE(LoadResetSecret(::testing::TempDir()).ok());
}

}  // namespace
}  // namespace sluice
