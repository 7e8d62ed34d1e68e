#include "interceptor/ccfb/sent_index.h"

#include <algorithm>

#include "base/check.h"

namespace sluice {

SentIndex::SentIndex(size_t capacity)
    : mask_(capacity - 1),
      places_(std::make_unique<Place[]>(capacity)),
      newest_(std::make_unique<int64_t[]>(capacity)) {
  SLUICE_CHECK(capacity > 0 && (capacity & mask_) == 0) << capacity;
  std::fill_n(newest_.get(), capacity, kNone);
}

void SentIndex::Add(Ssrc ssrc, SequenceNumber sequence, int64_t number) {
  int64_t& newest = newest_[HashOf(ssrc, sequence)];
  places_[static_cast<size_t>(number) & mask_] = {newest, ssrc.value(), sequence.value()};
  newest = number;
}

std::optional<int64_t> SentIndex::Find(Ssrc ssrc, SequenceNumber sequence, int64_t oldest) const {
  int64_t number = newest_[HashOf(ssrc, sequence)];
  // Each is older than the one before, and a place holds another packet once its own is too old.
  for (int step = 0; step < kMaxSteps && number >= oldest && number != kNone; ++step) {
    const Place& place = places_[static_cast<size_t>(number) & mask_];
    if (place.ssrc == ssrc.value() && place.sequence == sequence.value()) {
      return number;
    }
    number = place.older;
  }
  return std::nullopt;
}

}  // namespace sluice
