#ifndef GATEWAY_SIGNALLING_PARTICIPANT_REFUSALS_H_
#define GATEWAY_SIGNALLING_PARTICIPANT_REFUSALS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "gateway/tokens/token_verdict.h"

namespace sluice {

// Why a participant's call was refused.
enum class ParticipantRefusal : uint8_t {
  kNoToken,
  // As TokenVerdict.
  kMalformed,
  kBadSignature,
  kNotYetValid,
  kExpired,
  kRevoked,
  // The token does not have the right.
  kNoRight,
  // Too many calls, or event streams, at the same time with one token.
  kTooManyCalls,
  kTooManyStreams,
  // The request is wrong, or cannot be granted now.
  kRequest,
};
inline constexpr size_t kParticipantRefusals = 10;

// "no_right".
absl::string_view ParticipantRefusalName(ParticipantRefusal refusal);
// Of a verdict other than kOk.
ParticipantRefusal ToRefusal(TokenVerdict verdict);

// Counts refusals, and writes a line about them at most once a minute for each reason: strangers
// make them, and must not fill the log. Nothing of a request is in the line. Any thread.
class ParticipantRefusals {
 public:
  void Count(ParticipantRefusal refusal, absl::Time now);

  uint64_t count(ParticipantRefusal refusal) const;
  // All, by their names.
  std::vector<std::pair<absl::string_view, uint64_t>> counts() const;

 private:
  struct Row {
    uint64_t count = 0;
    // When a line was written last, and how many there were then.
    absl::Time logged = absl::InfinitePast();
    uint64_t logged_count = 0;
  };

  mutable absl::Mutex mutex_;
  std::array<Row, kParticipantRefusals> rows_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace sluice

#endif  // GATEWAY_SIGNALLING_PARTICIPANT_REFUSALS_H_
