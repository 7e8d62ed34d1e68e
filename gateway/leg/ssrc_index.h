#ifndef GATEWAY_LEG_SSRC_INDEX_H_
#define GATEWAY_LEG_SSRC_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "srtp/rtp_types.h"

namespace sluice {

// Gives each of at most `capacity` SSRCs a slot number below `capacity`, for arrays beside it; the
// least recently used SSRC loses its slot to a new one. All memory is taken in the constructor.
// Touch is O(1) unless SSRCs are chosen to collide, and O(capacity) then.
class SsrcIndex {
 public:
  enum class Outcome : uint8_t {
    kFound,
    // Had no slot; now has one that was free.
    kAdded,
    // Now has the slot of another SSRC, which has none any more.
    kReplaced,
  };
  struct Result {
    size_t slot;
    Outcome outcome;
  };

  // 1..65535.
  explicit SsrcIndex(size_t capacity);

  // The slot of `ssrc`, which is now the most recently used.
  Result Touch(Ssrc ssrc);

  // Slots are used in order: those below size() are in use.
  size_t size() const { return size_; }
  size_t capacity() const { return entries_.size(); }
  // `slot` is below size().
  Ssrc ssrc(size_t slot) const { return Ssrc(entries_[slot].ssrc); }

 private:
  static constexpr uint16_t kNone = UINT16_MAX;

  struct Entry {
    uint32_t ssrc = 0;
    // In the bucket's list.
    uint16_t next_in_bucket = kNone;
    // In the order of use.
    uint16_t newer = kNone;
    uint16_t older = kNone;
  };

  uint16_t& BucketOf(uint32_t ssrc);
  void RemoveFromBucket(uint16_t slot);
  void Unlink(uint16_t slot);
  void LinkNewest(uint16_t slot);

  std::vector<Entry> entries_;
  // A power of two, at least twice the capacity.
  std::vector<uint16_t> buckets_;
  int bucket_shift_;
  size_t size_ = 0;
  uint16_t newest_ = kNone;
  uint16_t oldest_ = kNone;
};

}  // namespace sluice

#endif  // GATEWAY_LEG_SSRC_INDEX_H_
