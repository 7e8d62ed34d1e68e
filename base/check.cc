#include "base/check.h"

#include <atomic>
#include <cstdint>

#include "absl/log/absl_log.h"

namespace sluice {
namespace {

std::atomic<uint64_t> bug_count{0};

}  // namespace

uint64_t BugCount() { return bug_count.load(std::memory_order_relaxed); }

namespace check_internal {

void ReportBug(const char* id, const char* file, int line, std::atomic<bool>& seen) {
  bug_count.fetch_add(1, std::memory_order_relaxed);
#ifndef NDEBUG
  ABSL_LOG(FATAL).AtLocation(file, line) << "bug " << id;
#endif
  // One line per place and process: a bug on the packet path must not flood the log.
  if (seen.exchange(true, std::memory_order_relaxed)) return;
  ABSL_LOG(ERROR).AtLocation(file, line) << "bug " << id << " (logged once, counted always)";
}

}  // namespace check_internal
}  // namespace sluice
