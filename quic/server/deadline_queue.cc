#include "quic/server/deadline_queue.h"

#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "base/timestamp.h"

namespace sluice {
namespace {

constexpr uint32_t kNowhere = UINT32_MAX;

}  // namespace

DeadlineQueue::DeadlineQueue(size_t capacity) : place_(capacity, kNowhere) {
  heap_.reserve(capacity);
}

Timestamp DeadlineQueue::Next() const {
  return heap_.empty() ? Timestamp::PlusInfinity() : heap_.front().deadline;
}

void DeadlineQueue::Place(size_t at, const Entry& entry) {
  heap_[at] = entry;
  place_[entry.item] = static_cast<uint32_t>(at);
}

void DeadlineQueue::Set(uint32_t item, Timestamp deadline) {
  SLUICE_DCHECK(item < place_.size());
  size_t at = place_[item];
  if (deadline == Timestamp::PlusInfinity()) {
    if (at == kNowhere) return;
    // The last one takes its place.
    const Entry last = heap_.back();
    heap_.pop_back();
    place_[item] = kNowhere;
    if (last.item == item) return;
    Place(at, last);
    Sift(at);
    return;
  }
  if (at == kNowhere) {
    at = heap_.size();
    heap_.push_back({deadline, item});
  }
  Place(at, {deadline, item});
  Sift(at);
}

void DeadlineQueue::Sift(size_t at) {
  const Entry entry = heap_[at];
  while (at > 0) {
    const size_t parent = (at - 1) / 2;
    if (heap_[parent].deadline <= entry.deadline) break;
    Place(at, heap_[parent]);
    at = parent;
  }
  while (true) {
    size_t child = 2 * at + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_[child + 1].deadline < heap_[child].deadline) ++child;
    if (entry.deadline <= heap_[child].deadline) break;
    Place(at, heap_[child]);
    at = child;
  }
  Place(at, entry);
}

}  // namespace sluice
