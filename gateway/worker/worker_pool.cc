#include "gateway/worker/worker_pool.h"

#include <utility>

#include "absl/memory/memory.h"
#include "absl/status/status.h"

namespace sluice {

absl::StatusOr<std::unique_ptr<WorkerPool>> WorkerPool::Create(
    size_t count, const WorkerLimits& limits, EngineKind engine, MediaPortPool& ports,
    std::function<void()> wake, PacketLogs* packet_logs) {
  if (count == 0) return absl::InvalidArgumentError("the gateway needs at least 1 worker");
  std::vector<std::unique_ptr<Worker>> workers;
  for (size_t index = 0; index < count; ++index) {
    absl::StatusOr<std::unique_ptr<Worker>> worker =
        Worker::Create(index, limits, engine, ports, wake, packet_logs);
    if (!worker.ok()) return worker.status();
    workers.push_back(*std::move(worker));
  }
  return absl::WrapUnique(new WorkerPool(std::move(workers)));
}

Worker& WorkerPool::LeastLoaded() {
  const size_t first = next_.fetch_add(1, std::memory_order_relaxed) % size();
  Worker* best = workers_[first].get();
  for (size_t i = 1; i < size(); ++i) {
    Worker* candidate = workers_[(first + i) % size()].get();
    if (candidate->session_count() < best->session_count()) best = candidate;
  }
  return *best;
}

void WorkerPool::Stop() {
  for (const std::unique_ptr<Worker>& worker : workers_) worker->Stop();
}

}  // namespace sluice
