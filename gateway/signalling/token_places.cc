#include "gateway/signalling/token_places.h"

#include "gateway/errors/error_detail.h"

namespace sluice {

absl::StatusOr<TokenPlaces::Place> TokenPlaces::Take(const TokenId& id) {
  const absl::MutexLock lock(&mutex_);
  size_t& taken = taken_[id];
  if (taken >= bound_.places) {
    return LimitReached(bound_.limit, bound_.places, bound_.sentence);
  }
  ++taken;
  return Place(this, id);
}

void TokenPlaces::Free(const TokenId& id) {
  const absl::MutexLock lock(&mutex_);
  const auto taken = taken_.find(id);
  if (--taken->second == 0) {
    taken_.erase(taken);
  }
}

size_t TokenPlaces::tokens() const {
  const absl::MutexLock lock(&mutex_);
  return taken_.size();
}

}  // namespace sluice
