#include "gateway/signalling/token_streams.h"

#include "gateway/errors/error_detail.h"

namespace sluice {

absl::StatusOr<TokenStreams::Place> TokenStreams::Take(const TokenId& id) {
  const absl::MutexLock lock(&mutex_);
  size_t& open = open_[id];
  if (open >= kMaxStreamsPerToken) {
    return LimitReached("streams_per_token", kMaxStreamsPerToken,
                        "as many event streams are open with this token as may be");
  }
  ++open;
  return Place(this, id);
}

void TokenStreams::Free(const TokenId& id) {
  const absl::MutexLock lock(&mutex_);
  const auto open = open_.find(id);
  if (--open->second == 0) {
    open_.erase(open);
  }
}

size_t TokenStreams::tokens() const {
  const absl::MutexLock lock(&mutex_);
  return open_.size();
}

}  // namespace sluice
