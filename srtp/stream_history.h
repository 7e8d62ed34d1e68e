#ifndef SRTP_STREAM_HISTORY_H_
#define SRTP_STREAM_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "srtp/rtp_types.h"
#include "srtp/stream_context.h"
#include "srtp/stream_table.h"

namespace sluice {

// Where the indices of SSRCs ended that lost their places among the streams of a sender or
// receiver: at most as many as said at the beginning, least recently put first out. All memory is
// taken by the constructor.
class StreamHistory {
 public:
  // `capacity` is 1..StreamTable::kMaxCapacity.
  explicit StreamHistory(size_t capacity)
      : table_(capacity, [](size_t) { return RememberedStream(); }) {}

  // An SSRC that is not there.
  void Put(Ssrc ssrc, const RememberedStream& stream) {
    if (table_.full()) {
      table_.Remove(table_.least_recently_used());
      ++forgotten_;
    }
    table_.Add(ssrc) = stream;
  }

  // Gives and removes what is known of an SSRC.
  std::optional<RememberedStream> Take(Ssrc ssrc) {
    RememberedStream* const found = table_.Find(ssrc);
    if (found == nullptr) {
      return std::nullopt;
    }
    const RememberedStream stream = *found;
    table_.Remove(*found);
    return stream;
  }

  // Null when there is nothing.
  const RememberedStream* Find(Ssrc ssrc) { return table_.Find(ssrc); }

  size_t size() const { return table_.size(); }
  // SSRCs that had to make room: when they come back their rollover counter begins again.
  uint64_t forgotten() const { return forgotten_; }

 private:
  StreamTable<RememberedStream> table_;
  uint64_t forgotten_ = 0;
};

}  // namespace sluice

#endif  // SRTP_STREAM_HISTORY_H_
