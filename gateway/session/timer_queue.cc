#include "gateway/session/timer_queue.h"

#include <algorithm>

#include "base/check.h"

namespace sluice {

TimerQueue::TimerQueue(size_t capacity) : position_(capacity, kNone) { heap_.reserve(capacity); }

void TimerQueue::Set(uint32_t key, Timestamp deadline) {
  SLUICE_CHECK(key < position_.size());
  if (deadline == Timestamp::PlusInfinity()) {
    Cancel(key);
    return;
  }
  const Entry entry{deadline, key};
  if (position_[key] == kNone) {
    heap_.push_back(entry);
    SiftUp(heap_.size() - 1, entry);
  } else if (deadline < heap_[position_[key]].deadline) {
    SiftUp(position_[key], entry);
  } else {
    SiftDown(position_[key], entry);
  }
}

void TimerQueue::BringForward(uint32_t key, Timestamp deadline) {
  if (deadline < Deadline(key)) {
    Set(key, deadline);
  }
}

void TimerQueue::Cancel(uint32_t key) {
  SLUICE_CHECK(key < position_.size());
  if (position_[key] != kNone) {
    RemoveAt(position_[key]);
  }
}

Timestamp TimerQueue::Deadline(uint32_t key) const {
  SLUICE_CHECK(key < position_.size());
  return position_[key] == kNone ? Timestamp::PlusInfinity() : heap_[position_[key]].deadline;
}

Timestamp TimerQueue::Next() const {
  return heap_.empty() ? Timestamp::PlusInfinity() : heap_.front().deadline;
}

std::optional<uint32_t> TimerQueue::PopDue(Timestamp now) {
  if (Next() > now || heap_.empty()) {
    return std::nullopt;
  }
  const uint32_t key = heap_.front().key;
  RemoveAt(0);
  return key;
}

void TimerQueue::Place(size_t at, const Entry& entry) {
  heap_[at] = entry;
  position_[entry.key] = static_cast<uint32_t>(at);
}

void TimerQueue::SiftUp(size_t at, const Entry& entry) {
  while (at > 0) {
    const size_t parent = (at - 1) / 2;
    if (heap_[parent].deadline <= entry.deadline) {
      break;
    }
    Place(at, heap_[parent]);
    at = parent;
  }
  Place(at, entry);
}

void TimerQueue::SiftDown(size_t at, const Entry& entry) {
  for (size_t child = 2 * at + 1; child < heap_.size(); child = 2 * at + 1) {
    if (child + 1 < heap_.size() && heap_[child + 1].deadline < heap_[child].deadline) {
      ++child;
    }
    if (entry.deadline <= heap_[child].deadline) {
      break;
    }
    Place(at, heap_[child]);
    at = child;
  }
  Place(at, entry);
}

void TimerQueue::RemoveAt(size_t at) {
  position_[heap_[at].key] = kNone;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (at == heap_.size()) {
    return;
  }
  // The last entry may belong above or below the hole.
  if (at > 0 && last.deadline < heap_[(at - 1) / 2].deadline) {
    SiftUp(at, last);
  } else {
    SiftDown(at, last);
  }
}

}  // namespace sluice
