#ifndef GATEWAY_SESSION_TIMER_QUEUE_H_
#define GATEWAY_SESSION_TIMER_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/timestamp.h"

namespace sluice {

// At most one deadline for each key below `capacity`; a binary heap that knows where each key is.
// Set, Cancel and PopDue are O(log n), Next is O(1). All memory is taken in the constructor.
class TimerQueue {
 public:
  explicit TimerQueue(size_t capacity);

  // Replaces the key's deadline, if it has one. PlusInfinity: it has none.
  void Set(uint32_t key, Timestamp deadline);
  // As Set, but never later than the key's present deadline.
  void BringForward(uint32_t key, Timestamp deadline);
  void Cancel(uint32_t key);

  // PlusInfinity when the key has none.
  Timestamp Deadline(uint32_t key) const;
  // The earliest of all; PlusInfinity when there is none.
  Timestamp Next() const;
  // Removes and returns the key with the earliest deadline if that is at or before `now`.
  std::optional<uint32_t> PopDue(Timestamp now);

  size_t size() const { return heap_.size(); }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Entry {
    Timestamp deadline;
    uint32_t key;
  };

  void Place(size_t at, const Entry& entry);
  // Moves `entry` from the hole at `at` to where the order wants it.
  void SiftUp(size_t at, const Entry& entry);
  void SiftDown(size_t at, const Entry& entry);
  void RemoveAt(size_t at);

  // Each deadline is at most that of its children at 2i + 1 and 2i + 2.
  std::vector<Entry> heap_;
  // By key; kNone: not in the heap.
  std::vector<uint32_t> position_;
};

}  // namespace sluice

#endif  // GATEWAY_SESSION_TIMER_QUEUE_H_
