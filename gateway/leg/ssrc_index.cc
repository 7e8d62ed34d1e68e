#include "gateway/leg/ssrc_index.h"

#include <bit>

#include "base/check.h"

namespace sluice {

SsrcIndex::SsrcIndex(size_t capacity) {
  SLUICE_CHECK(capacity >= 1 && capacity < kNone) << "index of " << capacity << " SSRCs";
  entries_.resize(capacity);
  const size_t buckets = std::bit_ceil(2 * capacity);
  buckets_.resize(buckets, kNone);
  bucket_shift_ = 32 - std::countr_zero(buckets);
}

SsrcIndex::Result SsrcIndex::Touch(Ssrc ssrc) {
  // Most packets are of the stream of the packet before.
  if (newest_ != kNone && entries_[newest_].ssrc == ssrc.value()) {
    return {newest_, Outcome::kFound};
  }
  uint16_t& bucket = BucketOf(ssrc.value());
  for (uint16_t slot = bucket; slot != kNone; slot = entries_[slot].next_in_bucket) {
    if (entries_[slot].ssrc == ssrc.value()) {
      Unlink(slot);
      LinkNewest(slot);
      return {slot, Outcome::kFound};
    }
  }
  const bool full = size_ == entries_.size();
  const uint16_t slot = full ? oldest_ : static_cast<uint16_t>(size_++);
  if (full) {
    RemoveFromBucket(slot);
    Unlink(slot);
  }
  entries_[slot].ssrc = ssrc.value();
  entries_[slot].next_in_bucket = bucket;
  bucket = slot;
  LinkNewest(slot);
  return {slot, full ? Outcome::kReplaced : Outcome::kAdded};
}

uint16_t& SsrcIndex::BucketOf(uint32_t ssrc) {
  // Fibonacci hashing: the high bits of the product depend on all bits of the SSRC.
  return buckets_[(ssrc * uint32_t{0x9E3779B1}) >> bucket_shift_];
}

void SsrcIndex::RemoveFromBucket(uint16_t slot) {
  uint16_t* link = &BucketOf(entries_[slot].ssrc);
  while (*link != slot) {
    link = &entries_[*link].next_in_bucket;
  }
  *link = entries_[slot].next_in_bucket;
}

void SsrcIndex::Unlink(uint16_t slot) {
  Entry& entry = entries_[slot];
  (entry.newer == kNone ? newest_ : entries_[entry.newer].older) = entry.older;
  (entry.older == kNone ? oldest_ : entries_[entry.older].newer) = entry.newer;
}

void SsrcIndex::LinkNewest(uint16_t slot) {
  Entry& entry = entries_[slot];
  entry.newer = kNone;
  entry.older = newest_;
  (newest_ == kNone ? oldest_ : entries_[newest_].newer) = slot;
  newest_ = slot;
}

}  // namespace sluice
