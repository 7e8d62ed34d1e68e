#ifndef BASE_CHECK_H_
#define BASE_CHECK_H_

#include <atomic>
#include <cstdint>

#include "absl/log/absl_check.h"

// Checks are for our own mistakes, never for what a peer, a controller or a configuration file can
// cause: those get a verdict or a status. Take the weakest one that fits:
//
//   SLUICE_DCHECK(cond)  An invariant, written down where it is relied upon. Tested in builds
//                        without NDEBUG only; `cond` must have no side effects.
//   SLUICE_BUG(id)       "This cannot happen, but if it does I have a way on": counts, logs the
//                        first time at each place, continues. Fatal in builds without NDEBUG.
//   SLUICE_CHECK(cond)   The process cannot go on: memory or key safety is at stake. Always on.
//
// The checks take a message: SLUICE_CHECK(n <= max) << "n is " << n;
#define SLUICE_CHECK(cond) ABSL_CHECK(cond)
#define SLUICE_DCHECK(cond) ABSL_DCHECK(cond)

// `id` is a plain word, unique in the repository: SLUICE_BUG(outbox_slot_released_twice);
#define SLUICE_BUG(id)                                                             \
  do {                                                                             \
    static std::atomic<bool> sluice_bug_seen{false};                               \
    ::sluice::check_internal::ReportBug(#id, __FILE__, __LINE__, sluice_bug_seen); \
  } while (false)

namespace sluice {

// How many SLUICE_BUG statements were reached since the process started. Any thread.
uint64_t BugCount();

namespace check_internal {

// `seen` belongs to the place: its first report is logged, the later ones are only counted.
void ReportBug(const char* id, const char* file, int line, std::atomic<bool>& seen);

}  // namespace check_internal
}  // namespace sluice

#endif  // BASE_CHECK_H_
