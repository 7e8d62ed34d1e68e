#include "gateway/quic/key_log_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

std::string PathOfTest(absl::string_view name = "keys") {
  return absl::StrCat(::testing::TempDir(), "/",
                      ::testing::UnitTest::GetInstance()->current_test_info()->name(), "_", name);
}

std::string Content(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(KeyLogFileTest, LinesAreThereAtOnceInAFileOfItsOwner) {
  const std::string path = PathOfTest();
  const auto file = KeyLogFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  (*file)->Write("CLIENT_TRAFFIC_SECRET_0 aa bb");
  (*file)->Write("SERVER_TRAFFIC_SECRET_0 aa cc");
  EXPECT_EQ(Content(path), "CLIENT_TRAFFIC_SECRET_0 aa bb\nSERVER_TRAFFIC_SECRET_0 aa cc\n");
  struct stat status = {};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_EQ((*file)->lost(), 0u);
}

TEST(KeyLogFileTest, GoesOnWithWhatIsThere) {
  const std::string path = PathOfTest();
  { KeyLogFile::Open(path).value()->Write("first"); }
  { KeyLogFile::Open(path).value()->Write("second"); }
  EXPECT_EQ(Content(path), "first\nsecond\n");
}

TEST(KeyLogFileTest, IsFullAtItsEndAndCountsWhatIsLost) {
  const std::string path = PathOfTest();
  { KeyLogFile::Open(path).value()->Write("12345"); }
  const auto file = KeyLogFile::Open(path, 12);
  ASSERT_TRUE(file.ok()) << file.status();
  (*file)->Write("12345");
  EXPECT_EQ((*file)->lost(), 0u);
  (*file)->Write("");
  (*file)->Write("1");
  EXPECT_EQ((*file)->lost(), 2u);
  EXPECT_EQ(Content(path), "12345\n12345\n");
}

TEST(KeyLogFileTest, AFileThatOthersCanReadIsRefused) {
  const std::string path = PathOfTest();
  for (const mode_t mode : {0644, 0640, 0602}) {
    std::ofstream(path) << "";
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    const absl::Status status = KeyLogFile::Open(path).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << mode;
    EXPECT_TRUE(absl::StrContains(status.message(), path)) << status;
    EXPECT_TRUE(absl::StrContains(status.message(), "chmod 600")) << status;
  }
}

TEST(KeyLogFileTest, LinksPipesAndFoldersAreRefused) {
  const std::string link = PathOfTest("link");
  ASSERT_EQ(symlink(PathOfTest("target").c_str(), link.c_str()), 0);
  EXPECT_FALSE(KeyLogFile::Open(link).ok());
  const std::string pipe = PathOfTest("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(KeyLogFile::Open(pipe).ok());
  EXPECT_FALSE(KeyLogFile::Open(::testing::TempDir()).ok());
  const absl::Status status = KeyLogFile::Open("/nowhere/keys").status();
  EXPECT_TRUE(absl::StrContains(status.message(), "/nowhere/keys: No such file")) << status;
}

}  // namespace
}  // namespace sluice
