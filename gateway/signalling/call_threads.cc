#include "gateway/signalling/call_threads.h"

#include <utility>

#include "base/check.h"
#include "gateway/errors/error_detail.h"

namespace sluice {

CallThreads::CallThreads(const CallThreadLimits& limits) : limits_(limits) {
  SLUICE_CHECK(limits.threads > 0);
  threads_.reserve(limits.threads);
  for (size_t i = 0; i < limits.threads; ++i) {
    threads_.emplace_back([this] { Run(); });
  }
}

CallThreads::~CallThreads() {
  {
    const absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

absl::Status CallThreads::Submit(Work work) {
  const absl::MutexLock lock(&mutex_);
  // A thread that is about to take one leaves it in line until then: one place per free thread.
  if (waiting_.size() + usage_.busy >= limits_.threads + limits_.waiting) {
    ++usage_.refused;
    return LimitReached("participant_calls", limits_.waiting,
                        "as many calls wait as may, try again");
  }
  waiting_.push_back(std::move(work));
  return absl::OkStatus();
}

void CallThreads::Run() {
  for (;;) {
    Work work;
    {
      const absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(this, &CallThreads::HasWork));
      if (stopping_) {
        return;
      }
      work = std::move(waiting_.front());
      waiting_.pop_front();
      ++usage_.busy;
    }
    std::move(work)();
    // What it holds goes before the call counts as made.
    work = nullptr;
    const absl::MutexLock lock(&mutex_);
    --usage_.busy;
    ++usage_.made;
  }
}

CallThreadUsage CallThreads::usage() const {
  const absl::MutexLock lock(&mutex_);
  CallThreadUsage usage = usage_;
  usage.waiting = waiting_.size();
  return usage;
}

}  // namespace sluice
