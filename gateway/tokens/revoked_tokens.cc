#include "gateway/tokens/revoked_tokens.h"

#include <algorithm>

#include "gateway/errors/error_detail.h"

namespace sluice {

RevokedTokens::RevokedTokens(size_t max) : max_(max) { expiries_.reserve(max); }

absl::Status RevokedTokens::Revoke(const TokenId& id, absl::Time expires, absl::Time now) {
  const absl::MutexLock lock(&mutex_);
  const auto known = expiries_.find(id);
  if (known != expiries_.end()) {
    known->second = std::max(known->second, expires);
    return absl::OkStatus();
  }
  if (expiries_.size() >= max_) {
    Forget(now);
  }
  if (expiries_.size() >= max_) {
    ++refused_;
    return LimitReached("revoked_tokens", max_,
                        "as many tokens are revoked and not expired as the gateway remembers");
  }
  expiries_.emplace(id, expires);
  first_expiry_ = std::min(first_expiry_, expires);
  return absl::OkStatus();
}

void RevokedTokens::Forget(absl::Time now) {
  if (now < first_expiry_) {
    return;
  }
  absl::Time first = absl::InfiniteFuture();
  absl::erase_if(expiries_, [&first, now](const auto& entry) {
    if (entry.second <= now) {
      return true;
    }
    first = std::min(first, entry.second);
    return false;
  });
  first_expiry_ = first;
}

bool RevokedTokens::Contains(const TokenId& id) const {
  const absl::MutexLock lock(&mutex_);
  return expiries_.contains(id);
}

size_t RevokedTokens::used() const {
  const absl::MutexLock lock(&mutex_);
  return expiries_.size();
}

uint64_t RevokedTokens::refused() const {
  const absl::MutexLock lock(&mutex_);
  return refused_;
}

}  // namespace sluice
