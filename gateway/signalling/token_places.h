#ifndef GATEWAY_SIGNALLING_TOKEN_PLACES_H_
#define GATEWAY_SIGNALLING_TOKEN_PLACES_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "gateway/tokens/token_id.h"

namespace sluice {

// How much of something one token may have at the same time, however many connections show it.
struct TokenBound {
  size_t places;
  // What the refused hear.
  absl::string_view limit;
  absl::string_view sentence;
};

// Event streams. A participant that comes back from another network opens one while the gateway
// does not yet know that the first is dead; more would only take the places of others.
inline constexpr TokenBound kStreamsPerToken{
    2, "streams_per_token", "as many event streams are open with this token as may be"};
// Calls that are not answered yet, streams apart: what one connection may have (quic/rpc,
// quic/http3). With more connections one participant must not take the threads and lines of all.
inline constexpr TokenBound kCallsPerToken{
    16, "calls_per_token", "as many calls with this token are not answered yet as may be"};

// Who has how many places of one bound. Holds as many tokens as there are places taken at most. Any
// thread.
class TokenPlaces {
 public:
  // One place, free again at the end of its life. The places outlive it.
  class Place {
   public:
    Place(Place&& other) noexcept
        : places_(std::exchange(other.places_, nullptr)), id_(other.id_) {}
    Place& operator=(Place&&) = delete;
    ~Place() {
      if (places_ != nullptr) {
        places_->Free(id_);
      }
    }

   private:
    friend class TokenPlaces;
    Place(TokenPlaces* places, const TokenId& id) : places_(places), id_(id) {}

    TokenPlaces* places_;
    TokenId id_;
  };

  explicit TokenPlaces(const TokenBound& bound) : bound_(bound) {}
  TokenPlaces(const TokenPlaces&) = delete;
  TokenPlaces& operator=(const TokenPlaces&) = delete;

  // ResourceExhausted with the bound's limit.
  absl::StatusOr<Place> Take(const TokenId& id);

  // Tokens that have places.
  size_t tokens() const;

 private:
  void Free(const TokenId& id);

  const TokenBound bound_;
  mutable absl::Mutex mutex_;
  absl::flat_hash_map<TokenId, size_t> taken_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace sluice

#endif  // GATEWAY_SIGNALLING_TOKEN_PLACES_H_
