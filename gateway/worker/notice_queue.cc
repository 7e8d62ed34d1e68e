#include "gateway/worker/notice_queue.h"

#include <utility>

#include "base/check.h"

namespace sluice {

NoticeQueue::NoticeQueue(size_t capacity, std::function<void()> wake)
    : ring_(capacity), wake_(std::move(wake)) {
  SLUICE_CHECK(capacity >= 1);
}

bool NoticeQueue::full() const {
  return pushed_.load(std::memory_order_relaxed) - taken_.load(std::memory_order_acquire) ==
         ring_.size();
}

void NoticeQueue::Push(WorkerNotice notice) {
  SLUICE_CHECK(!full());
  const uint64_t position = pushed_.load(std::memory_order_relaxed);
  ring_[position % ring_.size()] = std::move(notice);
  pushed_.store(position + 1, std::memory_order_release);
  unflushed_ = true;
}

void NoticeQueue::Flush() {
  if (!std::exchange(unflushed_, false)) return;
  // When it was true already, the Take that will set it to false reads pushed_ only after that, and
  // so sees what was pushed before this exchange.
  if (!woken_.exchange(true, std::memory_order_acq_rel) && wake_ != nullptr) wake_();
}

std::vector<WorkerNotice> NoticeQueue::Take() {
  woken_.exchange(false, std::memory_order_acq_rel);
  const uint64_t end = pushed_.load(std::memory_order_acquire);
  uint64_t position = taken_.load(std::memory_order_relaxed);
  std::vector<WorkerNotice> notices;
  notices.reserve(end - position);
  for (; position != end; ++position) {
    notices.push_back(std::exchange(ring_[position % ring_.size()], WorkerNotice()));
  }
  taken_.store(end, std::memory_order_release);
  return notices;
}

}  // namespace sluice
