#include "gateway/ready_file.h"

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

std::optional<std::string> Content(const std::string& path) {
  std::ifstream in(path);
  if (!in.is_open()) {
    return std::nullopt;
  }
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(ReadyFileTest, IsThereFromWriteToTheEnd) {
  const std::string path = ::testing::TempDir() + "/ready";
  {
    ReadyFile file(path);
    EXPECT_EQ(Content(path), std::nullopt);
    EXPECT_EQ(file.Write({"127.0.0.1:7443", "quic 127.0.0.1:7444"}), absl::OkStatus());
    EXPECT_EQ(Content(path), "127.0.0.1:7443\nquic 127.0.0.1:7444\n");
    EXPECT_FALSE(std::filesystem::exists(path + ".new"));
  }
  EXPECT_EQ(Content(path), std::nullopt);
}

TEST(ReadyFileTest, AnOldOneIsGoneBeforeTheGatewayServes) {
  const std::string path = ::testing::TempDir() + "/old_ready";
  std::ofstream(path) << "127.0.0.1:1\n";
  const ReadyFile file(path);
  EXPECT_EQ(Content(path), std::nullopt);
}

TEST(ReadyFileTest, SaysWhenItCannotBeWritten) {
  ReadyFile file(::testing::TempDir() + "/no_such_folder/ready");
  const absl::Status status = file.Write({"127.0.0.1:7443"});
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_NE(status.message().find("no_such_folder/ready"), std::string::npos);
}

}  // namespace
}  // namespace sluice
