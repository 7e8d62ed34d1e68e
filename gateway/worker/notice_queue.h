#ifndef GATEWAY_WORKER_NOTICE_QUEUE_H_
#define GATEWAY_WORKER_NOTICE_QUEUE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "gateway/worker/worker_notice.h"

namespace sluice {

// Notices on their way from the worker's thread (which pushes) to one control thread (which takes).
// Bounded, without locks; the worker never waits. What does not fit stays with the worker.
class NoticeQueue {
 public:
  // `wake` is called by Flush.
  NoticeQueue(size_t capacity, std::function<void()> wake);
  NoticeQueue(const NoticeQueue&) = delete;
  NoticeQueue& operator=(const NoticeQueue&) = delete;

  // The worker's thread. `notice` is moved from only when there is room: then true.
  [[nodiscard]] bool Push(WorkerNotice&& notice);
  // The worker's thread, after a couple of pushes: calls `wake` unless the last call was not yet
  // followed by a Take.
  void Flush();

  // The control thread. All that waits, oldest first. `was_full` tells that the worker may hold
  // more.
  std::vector<WorkerNotice> Take(bool& was_full);

 private:
  std::vector<WorkerNotice> ring_;
  std::function<void()> wake_;
  // Count up for ever; on cache lines of their own since two threads write them.
  alignas(64) std::atomic<uint64_t> pushed_{0};
  bool unflushed_ = false;
  alignas(64) std::atomic<uint64_t> taken_{0};
  alignas(64) std::atomic<bool> woken_{false};
};

}  // namespace sluice

#endif  // GATEWAY_WORKER_NOTICE_QUEUE_H_
