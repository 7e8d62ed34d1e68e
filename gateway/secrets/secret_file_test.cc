#include "gateway/secrets/secret_file.h"

#include <array>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(SecretFileTest, DigitsOfAnyCaseAreBytesAndNothingElseIs) {
  std::array<uint8_t, 2> bytes;
  EXPECT_TRUE(ParseHexSecret("0aF9", absl::MakeSpan(bytes)));
  EXPECT_EQ(bytes, (std::array<uint8_t, 2>{0x0a, 0xf9}));
  for (const absl::string_view wrong : {"0aF", "0aF9 ", "0aG9", "", " aF9", "0aF90"}) {
    EXPECT_FALSE(ParseHexSecret(wrong, absl::MakeSpan(bytes))) << wrong;
  }
}

TEST(SecretFileTest, WhatIsNotThereIsSaidByName) {
  const std::string path = testing::TempDir() + "/no_such_secret";
  const absl::Status status = ReadSecretFile(path, {"test file", "word"}, [](absl::string_view) {
    ADD_FAILURE() << "there is nothing to parse";
    return absl::OkStatus();
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "cannot read the test file " + path + ": No such file or directory");
}

}  // namespace
}  // namespace sluice
