#include "gateway/config/machine_memory.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace sluice {
namespace {

constexpr uint64_t kPhysical = uint64_t{8} << 30;

// A tree of files that stands for a machine's /.
std::string Root(const std::string& name, const std::string& file, const std::string& text) {
  const std::filesystem::path root = std::filesystem::path(::testing::TempDir()) / name;
  const std::filesystem::path path = root / file;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
  return root.string();
}

TEST(MachineMemoryTest, ThisMachineHasSome) { EXPECT_GT(MachineMemory(), uint64_t{64} << 20); }

TEST(MachineMemoryTest, IsThePhysicalMemoryWithoutControlGroups) {
  EXPECT_EQ(MachineMemoryBelow(::testing::TempDir() + "/nothing", kPhysical), kPhysical);
}

TEST(MachineMemoryTest, IsWhatTheContainerMayUse) {
  EXPECT_EQ(MachineMemoryBelow(Root("v2", "sys/fs/cgroup/memory.max", "536870912\n"), kPhysical),
            uint64_t{512} << 20);
  EXPECT_EQ(MachineMemoryBelow(
                Root("v1", "sys/fs/cgroup/memory/memory.limit_in_bytes", "268435456\n"), kPhysical),
            uint64_t{256} << 20);
}

TEST(MachineMemoryTest, AGroupWithoutALimitChangesNothing) {
  EXPECT_EQ(MachineMemoryBelow(Root("max", "sys/fs/cgroup/memory.max", "max\n"), kPhysical),
            kPhysical);
  EXPECT_EQ(MachineMemoryBelow(Root("v1max", "sys/fs/cgroup/memory/memory.limit_in_bytes",
                                    "9223372036854771712\n"),
                               kPhysical),
            kPhysical);
}

}  // namespace
}  // namespace sluice
