#ifndef GATEWAY_WORKER_NOTICE_QUEUE_H_
#define GATEWAY_WORKER_NOTICE_QUEUE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "gateway/worker/worker_notice.h"

namespace sluice {

// Notices on their way from the worker's thread, which pushes, to one control thread, which takes.
// Bounded, without locks; the worker never waits. What does not fit stays with the worker.
class NoticeQueue {
 public:
  // `capacity` is at least 1. `wake` is called by Flush.
  NoticeQueue(size_t capacity, std::function<void()> wake);
  NoticeQueue(const NoticeQueue&) = delete;
  NoticeQueue& operator=(const NoticeQueue&) = delete;

  // The worker's thread. Once false it stays false until the next Push.
  bool full() const;
  // The worker's thread, when the queue is not full.
  void Push(WorkerNotice notice);
  // The worker's thread, after its pushes: calls `wake` if there were any, unless the last call is
  // not yet followed by a Take.
  void Flush();

  // The control thread. All that waits, oldest first; none is lost between Take and the next wake.
  std::vector<WorkerNotice> Take();

  size_t capacity() const { return ring_.size(); }

 private:
  std::vector<WorkerNotice> ring_;
  const std::function<void()> wake_;
  // Both count up for ever, each written by one thread; on cache lines of their own.
  alignas(64) std::atomic<uint64_t> pushed_{0};
  bool unflushed_ = false;
  alignas(64) std::atomic<uint64_t> taken_{0};
  std::atomic<bool> woken_{false};
};

}  // namespace sluice

#endif  // GATEWAY_WORKER_NOTICE_QUEUE_H_
