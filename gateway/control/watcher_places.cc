#include "gateway/control/watcher_places.h"

#include "gateway/errors/error_detail.h"

namespace sluice {

absl::StatusOr<WatcherPlaces::Place> WatcherPlaces::Take() {
  size_t used = used_.load(std::memory_order_relaxed);
  do {
    if (used >= max_) {
      refused_.fetch_add(1, std::memory_order_relaxed);
      return LimitReached("watchers", max_, "as many watch as the gateway serves");
    }
  } while (!used_.compare_exchange_weak(used, used + 1, std::memory_order_relaxed));
  return Place(this);
}

}  // namespace sluice
