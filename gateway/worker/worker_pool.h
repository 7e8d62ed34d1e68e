#ifndef GATEWAY_WORKER_WORKER_POOL_H_
#define GATEWAY_WORKER_WORKER_POOL_H_

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "gateway/io/media_port_pool.h"
#include "gateway/io/packet_logs.h"
#include "gateway/worker/worker.h"
#include "gateway/worker/worker_limits.h"
#include "srtp/crypto/crypto_engine.h"

namespace sluice {

// The gateway's workers, a fixed number of equals. A session stays on the worker that it was
// created on. Any thread.
class WorkerPool {
 public:
  // Starts `count` workers, at least 1, each with `limits` and an engine of that kind for itself.
  // `wake` is called on any of their threads, and `packet_logs` may be null, see Worker::Create.
  // When one does not start, none stays.
  static absl::StatusOr<std::unique_ptr<WorkerPool>> Create(size_t count,
                                                            const WorkerLimits& limits,
                                                            EngineKind engine, MediaPortPool& ports,
                                                            std::function<void()> wake,
                                                            PacketLogs* packet_logs = nullptr);

  size_t size() const { return workers_.size(); }
  // `index` < size().
  Worker& worker(size_t index) { return *workers_[index]; }

  // Where a new session goes: the worker with the fewest, in turn among equals.
  Worker& LeastLoaded();

  // Stops all workers.
  void Stop();

 private:
  explicit WorkerPool(std::vector<std::unique_ptr<Worker>> workers)
      : workers_(std::move(workers)) {}

  std::vector<std::unique_ptr<Worker>> workers_;
  std::atomic<size_t> next_{0};
};

}  // namespace sluice

#endif  // GATEWAY_WORKER_WORKER_POOL_H_
