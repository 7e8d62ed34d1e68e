#ifndef QUIC_SERVER_DEADLINE_QUEUE_H_
#define QUIC_SERVER_DEADLINE_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/timestamp.h"

namespace sluice {

// One deadline for each of a fixed number of things, named 0 to capacity - 1, and which is first. A
// binary heap that knows where each thing is: setting one is O(log n), so that a timeout costs the
// same with one connection and with many. Allocates nothing after construction.
class DeadlineQueue {
 public:
  explicit DeadlineQueue(size_t capacity);

  // Replaces the deadline of `item`; PlusInfinity() is none.
  void Set(uint32_t item, Timestamp deadline);

  // The earliest deadline, PlusInfinity() when nobody has one.
  Timestamp Next() const;
  // Whose that is. Next() is finite.
  uint32_t First() const { return heap_.front().item; }

 private:
  struct Entry {
    Timestamp deadline;
    uint32_t item;
  };

  void Place(size_t at, const Entry& entry);
  // Moves the entry at `at` to where it belongs.
  void Sift(size_t at);

  std::vector<Entry> heap_;
  // Where each item is in heap_, kNowhere when it has no deadline.
  std::vector<uint32_t> place_;
};

}  // namespace sluice

#endif  // QUIC_SERVER_DEADLINE_QUEUE_H_
