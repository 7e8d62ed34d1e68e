#ifndef INTERCEPTOR_NACK_MISSING_PACKETS_H_
#define INTERCEPTOR_NACK_MISSING_PACKETS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "base/timestamp.h"
#include "srtp/rtp_types.h"

namespace sluice {

// The packets of one stream that are missing, how often each was asked for and when it is to be
// asked for next. At most `capacity` of them: further ones push out the oldest, which are given up.
// Numbers are unwrapped. All memory is taken in the constructor. One thread.
class MissingPackets {
 public:
  // More than a second of 30 Mbit/s: who lacks as much needs something else than repair.
  static constexpr size_t kMaxCapacity = 4096;
  static constexpr int kMaxAttempts = 255;

  // `capacity` is in 1..kMaxCapacity, `max_attempts` in 1..kMaxAttempts.
  MissingPackets(size_t capacity, int max_attempts);

  // `from` .. `to` - 1 are missing, at most `capacity` of them, ahead of all that are missing
  // already; to be asked for at `due`. How many were given up for them.
  size_t Add(int64_t from, int64_t to, Timestamp due);
  // It came. How often it was asked for; nothing when it was not missing, or was given up.
  std::optional<int> Remove(int64_t sequence);

  // Those before `oldest`, and those asked for often enough and due again, are given up: how many.
  size_t GiveUp(Timestamp now, int64_t oldest);
  // Those to be asked for at `now`, in order. Valid until the next call.
  absl::Span<const SequenceNumber> Due(Timestamp now);
  // What Due(now) gave was asked for, the first `count` of it; they are due again at `again`. The
  // rest was not for lack of room, is not counted as asked for, and waits until `later`.
  void MarkAsked(Timestamp now, size_t count, Timestamp again, Timestamp later);

  // Nothing is due earlier; PlusInfinity when nothing is missing.
  Timestamp next_due() const { return missing_.empty() ? Timestamp::PlusInfinity() : next_due_; }
  size_t size() const { return missing_.size(); }
  bool empty() const { return missing_.empty(); }
  void Clear() { missing_.clear(); }

 private:
  struct Missing {
    int64_t sequence;
    Timestamp due;
    uint8_t attempts;
  };

  const size_t capacity_;
  const int max_attempts_;
  // Both reserved in full; by number. Few are missing at a time, so that moving those behind one
  // that came costs less than anything that would avoid it.
  std::vector<Missing> missing_;
  std::vector<SequenceNumber> due_;
  // Not later than any.
  Timestamp next_due_ = Timestamp::PlusInfinity();
};

}  // namespace sluice

#endif  // INTERCEPTOR_NACK_MISSING_PACKETS_H_
