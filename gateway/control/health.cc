#include "gateway/control/health.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/log/log.h"

namespace sluice {

Health::Health(grpc::HealthCheckServiceInterface& service,
               std::function<std::vector<uint64_t>()> turns, const HealthTimes& times)
    : service_(service), turns_(std::move(turns)), times_(times) {
  {
    absl::MutexLock lock(&mutex_);
    Tell(true);
  }
  thread_ = std::thread([this] { Watch(); });
}

Health::~Health() {
  {
    absl::MutexLock lock(&mutex_);
    done_ = true;
  }
  thread_.join();
}

void Health::SetStopping() {
  absl::MutexLock lock(&mutex_);
  stopping_ = true;
  Tell(live_);
}

void Health::Watch() {
  std::vector<uint64_t> last;
  std::vector<absl::Duration> still;
  absl::MutexLock lock(&mutex_);
  while (!mutex_.AwaitWithTimeout(absl::Condition(&done_), times_.interval)) {
    const std::vector<uint64_t> turns = turns_();
    last.resize(turns.size(), turns.empty() ? 0 : ~uint64_t{0});
    still.resize(turns.size());
    for (size_t i = 0; i < turns.size(); ++i) {
      still[i] = turns[i] == last[i] ? still[i] + times_.interval : absl::ZeroDuration();
      last[i] = turns[i];
    }
    const bool live = std::all_of(still.begin(), still.end(),
                                  [this](absl::Duration d) { return d < times_.stuck_after; });
    if (live != live_) {
      LOG(WARNING) << (live ? "all workers turn again" : "a worker is stuck");
      Tell(live);
    }
  }
}

void Health::Tell(bool live) {
  live_ = live;
  const bool ready = live && !stopping_;
  service_.SetServingStatus(kReadinessService, ready);
  service_.SetServingStatus("", ready);
  // Last: who sees it may rely on the others.
  service_.SetServingStatus(kLivenessService, live);
}

}  // namespace sluice
