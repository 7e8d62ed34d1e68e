#include "tools/ctl/demo/scratch_folder.h"

#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "gtest/gtest.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

TEST(ScratchFolderTest, IsForItsOwnerAndGoneAtTheEnd) {
  std::string path;
  {
    auto folder = ScratchFolder::Create();
    ASSERT_TRUE(folder.ok()) << folder.status();
    path = folder->path();
    EXPECT_EQ(fs::status(path).permissions(), fs::perms(0700));
    const auto secret = folder->WriteSecret("key", "content");
    ASSERT_TRUE(secret.ok()) << secret.status();
    EXPECT_EQ(*secret, path + "/key");
    EXPECT_EQ(fs::status(*secret).permissions(), fs::perms(0600));
    EXPECT_EQ(fs::file_size(*secret), 7u);
    std::ofstream(folder->File("log")) << "by somebody else";
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(ScratchFolderTest, LivesOnWhenMoved) {
  std::optional<ScratchFolder> moved;
  {
    auto folder = ScratchFolder::Create();
    ASSERT_TRUE(folder.ok());
    moved.emplace(*std::move(folder));
  }
  const std::string path = moved->path();
  EXPECT_TRUE(fs::exists(path));
  moved.reset();
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace sluice
