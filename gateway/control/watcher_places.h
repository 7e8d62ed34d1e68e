#ifndef GATEWAY_CONTROL_WATCHER_PLACES_H_
#define GATEWAY_CONTROL_WATCHER_PLACES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"

namespace sluice {

// How many may watch at the same time, events and statistics together, since each holds a thread.
// Any thread.
class WatcherPlaces {
 public:
  // One watcher's place, free again at the end of its life. The places outlive it.
  class Place {
   public:
    Place(Place&& other) noexcept : places_(std::exchange(other.places_, nullptr)) {}
    Place& operator=(Place&&) = delete;
    ~Place() {
      if (places_ != nullptr) {
        places_->used_.fetch_sub(1, std::memory_order_relaxed);
      }
    }

   private:
    friend class WatcherPlaces;
    explicit Place(WatcherPlaces* places) : places_(places) {}

    WatcherPlaces* places_;
  };

  explicit WatcherPlaces(size_t max) : max_(max) {}

  // ResourceExhausted, limit "watchers", when all are taken.
  absl::StatusOr<Place> Take();

  size_t used() const { return used_.load(std::memory_order_relaxed); }
  uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

 private:
  const size_t max_;
  std::atomic<size_t> used_{0};
  std::atomic<uint64_t> refused_{0};
};

}  // namespace sluice

#endif  // GATEWAY_CONTROL_WATCHER_PLACES_H_
