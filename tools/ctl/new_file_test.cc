#include "tools/ctl/new_file.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class NewFileTest : public testing::Test {
 protected:
  NewFileTest()
      : folder_(fs::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~NewFileTest() override { fs::remove_all(folder_); }

  std::string Path() const { return folder_ / "secret"; }
  std::string Content() const {
    std::stringstream text;
    text << std::ifstream(Path()).rdbuf();
    return text.str();
  }
  int FileCount() const {
    return static_cast<int>(std::distance(fs::directory_iterator(folder_), {}));
  }

  fs::path folder_;
};

TEST_F(NewFileTest, AppearsWhenPublished) {
  auto file = NewFile::Write(Path(), "content", 0600);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_FALSE(fs::exists(Path()));
  EXPECT_TRUE(file->Publish().ok());
  EXPECT_EQ(Content(), "content");
  EXPECT_EQ(fs::status(Path()).permissions(), fs::perms(0600));
  EXPECT_EQ(FileCount(), 1);
}

TEST_F(NewFileTest, TheModeIsExactWhateverTheUmask) {
  const mode_t before = umask(0077);
  auto file = NewFile::Write(Path(), "content", 0644);
  umask(before);
  ASSERT_TRUE(file.ok() && file->Publish().ok());
  EXPECT_EQ(fs::status(Path()).permissions(), fs::perms(0644));
}

TEST_F(NewFileTest, ReplacesWhatWasThere) {
  std::ofstream(Path()) << "old and longer content";
  auto file = NewFile::Write(Path(), "new", 0600);
  EXPECT_EQ(Content(), "old and longer content");
  EXPECT_TRUE(file->Publish().ok());
  EXPECT_EQ(Content(), "new");
}

TEST_F(NewFileTest, NothingRemainsOfWhatWasNotPublished) {
  { auto file = NewFile::Write(Path(), "content", 0600); }
  EXPECT_EQ(FileCount(), 0);
}

TEST_F(NewFileTest, SaysWhichFileCouldNotBeWritten) {
  const auto file = NewFile::Write(folder_ / "none" / "secret", "content", 0600);
  ASSERT_FALSE(file.ok());
  EXPECT_THAT(std::string(file.status().message()), HasSubstr("none/secret: No such file"));
}

}  // namespace
}  // namespace sluice
