#ifndef GATEWAY_SIGNALLING_TOKEN_STREAMS_H_
#define GATEWAY_SIGNALLING_TOKEN_STREAMS_H_

#include <cstddef>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "gateway/tokens/token_id.h"

namespace sluice {

// Event streams with one token at the same time. A participant that comes back from another network
// opens one while the gateway does not yet know that the first is dead; more would only take the
// places of others.
inline constexpr size_t kMaxStreamsPerToken = 2;

// How many streams are open with each token. Holds as many tokens as there are streams at most. Any
// thread.
class TokenStreams {
 public:
  // One stream's place, free again at the end of its life. The streams outlive it.
  class Place {
   public:
    Place(Place&& other) noexcept
        : streams_(std::exchange(other.streams_, nullptr)), id_(other.id_) {}
    Place& operator=(Place&&) = delete;
    ~Place() {
      if (streams_ != nullptr) {
        streams_->Free(id_);
      }
    }

   private:
    friend class TokenStreams;
    Place(TokenStreams* streams, const TokenId& id) : streams_(streams), id_(id) {}

    TokenStreams* streams_;
    TokenId id_;
  };

  // ResourceExhausted, limit "streams_per_token".
  absl::StatusOr<Place> Take(const TokenId& id);

  // Tokens with open streams.
  size_t tokens() const;

 private:
  void Free(const TokenId& id);

  mutable absl::Mutex mutex_;
  absl::flat_hash_map<TokenId, size_t> open_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace sluice

#endif  // GATEWAY_SIGNALLING_TOKEN_STREAMS_H_
