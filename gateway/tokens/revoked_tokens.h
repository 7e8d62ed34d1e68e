#ifndef GATEWAY_TOKENS_REVOKED_TOKENS_H_
#define GATEWAY_TOKENS_REVOKED_TOKENS_H_

#include <cstddef>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "gateway/tokens/token_id.h"

namespace sluice {

// Tokens that are no longer valid although they have not expired, each until it would have. None is
// ever forgotten before: when there is no room, a revocation is refused instead, and the controller
// knows. Takes its memory at once. Any thread.
class RevokedTokens {
 public:
  explicit RevokedTokens(size_t max);

  // Remembers `id` until `expires`, or longer where it is already remembered for longer. When there
  // is no room, what has expired at `now` is forgotten first; ResourceExhausted, limit
  // "revoked_tokens", when that made none.
  absl::Status Revoke(const TokenId& id, absl::Time expires, absl::Time now);

  // Also true of some that have expired.
  bool Contains(const TokenId& id) const;

  size_t max() const { return max_; }
  // Some may have expired.
  size_t used() const;
  uint64_t refused() const;

 private:
  void Forget(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t max_;
  mutable absl::Mutex mutex_;
  absl::flat_hash_map<TokenId, absl::Time> expiries_ ABSL_GUARDED_BY(mutex_);
  // No entry expires before: as long as this has not come there is nothing to forget, and calls
  // that find no room need not look at all of them.
  absl::Time first_expiry_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteFuture();
  uint64_t refused_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace sluice

#endif  // GATEWAY_TOKENS_REVOKED_TOKENS_H_
