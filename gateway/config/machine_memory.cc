#include "gateway/config/machine_memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "absl/strings/numbers.h"

namespace sluice {
namespace {

// Inside a container its own group is what these paths show. Version 2 says "max" without a limit,
// version 1 a number beyond any machine.
constexpr const char* kLimitFiles[] = {
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
};

}  // namespace

uint64_t MachineMemoryBelow(const std::string& root, uint64_t physical) {
  uint64_t bytes = physical;
  for (const char* file : kLimitFiles) {
    std::ifstream in(root + file);
    std::string text;
    uint64_t limit;
    if (in >> text && absl::SimpleAtoi(text, &limit)) {
      bytes = std::min(bytes, limit);
    }
  }
  return bytes;
}

uint64_t MachineMemory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_size = sysconf(_SC_PAGESIZE);
  // Without an answer nothing is refused: better to try than to turn away a machine that has
  // enough.
  const uint64_t physical = pages > 0 && page_size > 0
                                ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(page_size)
                                : UINT64_MAX;
  return MachineMemoryBelow("", physical);
}

}  // namespace sluice
