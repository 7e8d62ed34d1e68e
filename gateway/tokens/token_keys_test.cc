#include "gateway/tokens/token_keys.h"

#include <sys/stat.h>

#include <fstream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/testing/hex.h"
#include "base/testing/seeded_random.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

const std::string kFirst(64, '1');
const std::string kSecond = std::string(62, 'a') + "Bc";

std::string FileWith(const std::string& text, mode_t mode) {
  const std::string path = absl::StrCat(
      ::testing::TempDir(), "/", ::testing::UnitTest::GetInstance()->current_test_info()->name());
  std::ofstream(path) << text;
  EXPECT_EQ(chmod(path.c_str(), mode), 0);
  return path;
}

TEST(TokenKeysTest, OneLineIsTheCurrentKey) {
  for (const std::string& text :
       {kFirst, kFirst + "\n", "\n  " + kFirst + " \r\n\n", "\t" + kFirst}) {
    const absl::StatusOr<TokenKeys> keys = ParseTokenKeys(text);
    ASSERT_TRUE(keys.ok()) << keys.status();
    EXPECT_EQ(ToHex(keys->current.span()), kFirst);
    EXPECT_FALSE(keys->previous.has_value());
  }
}

TEST(TokenKeysTest, TheSecondLineIsThePreviousKey) {
  const absl::StatusOr<TokenKeys> keys = ParseTokenKeys(kFirst + "\n" + kSecond + "\n");
  ASSERT_TRUE(keys.ok()) << keys.status();
  EXPECT_EQ(ToHex(keys->current.span()), kFirst);
  ASSERT_TRUE(keys->previous.has_value());
  EXPECT_EQ(ToHex(keys->previous->span()), std::string(62, 'a') + "bc");
}

TEST(TokenKeysTest, WhatIsNoKeyIsRefusedAndNotRepeated) {
  for (const std::string& text :
       {std::string(), std::string("\n \n"), std::string(63, '1'), std::string(65, '1'),
        std::string(63, '1') + "g", kFirst + " " + kSecond,
        kFirst + "\n" + kSecond + "\n" + kFirst}) {
    const absl::Status status = ParseTokenKeys(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_FALSE(absl::StrContains(status.message(), "1111")) << status;
    EXPECT_TRUE(absl::StrContains(status.message(), "64 hex digits")) << status;
  }
}

TEST(TokenKeysTest, GeneratedKeysDiffer) {
  SeededRandom random(1);
  EXPECT_FALSE(
      ConstantTimeEquals(GenerateTokenKeys(random).current, GenerateTokenKeys(random).current));
}

TEST(TokenKeysTest, AFileOfItsOwnerIsRead) {
  const absl::StatusOr<TokenKeys> keys = LoadTokenKeys(FileWith(kSecond, 0600));
  ASSERT_TRUE(keys.ok()) << keys.status();
  EXPECT_TRUE(LoadTokenKeys(FileWith(kSecond, 0440)).ok());
}

TEST(TokenKeysTest, AFileThatOthersCanReadIsRefused) {
  for (const mode_t mode : {0604, 0644, 0620, 0602}) {
    const absl::Status status = LoadTokenKeys(FileWith(kFirst, mode)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << mode;
    EXPECT_TRUE(absl::StrContains(status.message(), "chmod 600")) << status;
  }
}

TEST(TokenKeysTest, ErrorsNameTheFile) {
  const std::string wrong = FileWith("not a key", 0600);
  EXPECT_TRUE(absl::StrContains(LoadTokenKeys(wrong).status().message(), wrong));
  const std::string large = FileWith(std::string(1025, ' '), 0600);
  EXPECT_TRUE(absl::StrContains(LoadTokenKeys(large).status().message(), "far too large"));
  const absl::Status missing = LoadTokenKeys("/nowhere/key").status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(absl::StrContains(missing.message(), "/nowhere/key: No such file")) << missing;
  // A folder opens and cannot be read.
  EXPECT_FALSE(LoadTokenKeys(::testing::TempDir()).ok());
}

}  // namespace
}  // namespace sluice
