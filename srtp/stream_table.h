#ifndef SRTP_STREAM_TABLE_H_
#define SRTP_STREAM_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/hash/hash.h"
#include "base/check.h"
#include "srtp/rtp_types.h"

namespace sluice {

// The streams of one direction by SSRC, at most as many as said at the beginning, in the order of
// their use. All memory is taken by the constructor; streams stay where they are and are used again
// for other SSRCs, so `Stream` has a Reset(). What happens when all places are taken is the
// caller's to decide. One thread.
template <typename Stream>
class StreamTable {
 public:
  static constexpr size_t kMaxCapacity = 1024;

  // `capacity` is 1..kMaxCapacity. `make(i)` gives the stream of place i, once for each place.
  template <typename Make>
  StreamTable(size_t capacity, Make make);
  StreamTable(const StreamTable&) = delete;
  StreamTable& operator=(const StreamTable&) = delete;

  // nullptr when there is none. Does not count as use.
  Stream* Find(Ssrc ssrc) {
    // Packets come in runs of one SSRC.
    if (newest_ != kNone && links_[newest_].ssrc == ssrc) {
      return &streams_[newest_];
    }
    return Search(ssrc);
  }

  // Makes it the most recently used one.
  void Touch(Stream& stream) {
    if (&stream != &streams_[newest_]) {
      MakeNewest(stream);
    }
  }

  // A reset stream, most recently used. Only for an SSRC that is not there, and when not full().
  Stream& Add(Ssrc ssrc);

  // Not when empty.
  Stream& least_recently_used() {
    SLUICE_DCHECK(size_ > 0);
    return streams_[oldest_];
  }
  void Remove(Stream& stream);

  // Not of a stream that was removed.
  Ssrc ssrc(const Stream& stream) const { return links_[PlaceOf(stream)].ssrc; }

  // Calls `f(Ssrc, Stream&)` for each, most recently used first. `f` adds and removes none.
  template <typename F>
  void ForEach(F f) {
    for (Place place = newest_; place != kNone; place = links_[place].older) {
      f(links_[place].ssrc, streams_[place]);
    }
  }

  size_t size() const { return size_; }
  size_t capacity() const { return streams_.size(); }
  bool full() const { return size_ == capacity(); }

 private:
  using Place = uint16_t;
  static constexpr Place kNone = UINT16_MAX;
  static_assert(kMaxCapacity < kNone);

  // Neighbours in the order of use. Free places are chained by `older`.
  struct Link {
    Ssrc ssrc{0};
    Place newer = kNone;
    Place older = kNone;
  };

  Place PlaceOf(const Stream& stream) const {
    return static_cast<Place>(&stream - streams_.data());
  }
  // Where the search for an SSRC begins. Seeded per process, so that nobody can choose SSRCs that
  // meet.
  size_t HomeSlot(Ssrc ssrc) const { return absl::HashOf(ssrc) & slot_mask_; }
  size_t NextSlot(size_t slot) const { return (slot + 1) & slot_mask_; }
  // The slot that holds the SSRC, or the empty one where the search for it ends.
  size_t FindSlot(Ssrc ssrc) const;
  void EmptySlot(size_t slot);

  Stream* Search(Ssrc ssrc);
  void MakeNewest(Stream& stream);
  void LinkAsNewest(Place place);
  void Unlink(Place place);

  std::vector<Stream> streams_;
  // One for each stream, apart from it: a search reads many of these and one stream.
  std::vector<Link> links_;
  // Open addressing with linear probing; at most half of the slots are taken.
  std::vector<Place> slots_;
  size_t slot_mask_;
  size_t size_ = 0;
  Place newest_ = kNone;
  Place oldest_ = kNone;
  Place first_free_ = kNone;
};

template <typename Stream>
template <typename Make>
StreamTable<Stream>::StreamTable(size_t capacity, Make make) : links_(capacity) {
  SLUICE_CHECK(capacity >= 1 && capacity <= kMaxCapacity);
  streams_.reserve(capacity);
  for (size_t i = 0; i < capacity; ++i) {
    streams_.push_back(make(i));
    links_[i].older = i + 1 < capacity ? static_cast<Place>(i + 1) : kNone;
  }
  first_free_ = 0;
  size_t slots = 2;
  while (slots < 2 * capacity) {
    slots *= 2;
  }
  slots_.assign(slots, kNone);
  slot_mask_ = slots - 1;
}

template <typename Stream>
Stream* StreamTable<Stream>::Search(Ssrc ssrc) {
  const Place place = slots_[FindSlot(ssrc)];
  return place == kNone ? nullptr : &streams_[place];
}

template <typename Stream>
void StreamTable<Stream>::MakeNewest(Stream& stream) {
  const Place place = PlaceOf(stream);
  Unlink(place);
  LinkAsNewest(place);
}

template <typename Stream>
Stream& StreamTable<Stream>::Add(Ssrc ssrc) {
  SLUICE_CHECK(!full());
  const size_t slot = FindSlot(ssrc);
  SLUICE_DCHECK(slots_[slot] == kNone);
  const Place place = first_free_;
  first_free_ = links_[place].older;
  slots_[slot] = place;
  links_[place].ssrc = ssrc;
  LinkAsNewest(place);
  ++size_;
  streams_[place].Reset();
  return streams_[place];
}

template <typename Stream>
void StreamTable<Stream>::Remove(Stream& stream) {
  const Place place = PlaceOf(stream);
  EmptySlot(FindSlot(links_[place].ssrc));
  Unlink(place);
  links_[place].older = first_free_;
  first_free_ = place;
  --size_;
}

template <typename Stream>
size_t StreamTable<Stream>::FindSlot(Ssrc ssrc) const {
  size_t slot = HomeSlot(ssrc);
  while (slots_[slot] != kNone && links_[slots_[slot]].ssrc != ssrc) {
    slot = NextSlot(slot);
  }
  return slot;
}

template <typename Stream>
void StreamTable<Stream>::EmptySlot(size_t slot) {
  // What was pushed behind the gap moves up, so that no search ends too early at it.
  size_t gap = slot;
  for (size_t i = NextSlot(gap); slots_[i] != kNone; i = NextSlot(i)) {
    const size_t home = HomeSlot(links_[slots_[i]].ssrc);
    // Distances around the ring: the gap lies between home and i.
    if (((i - home) & slot_mask_) >= ((i - gap) & slot_mask_)) {
      slots_[gap] = slots_[i];
      gap = i;
    }
  }
  slots_[gap] = kNone;
}

template <typename Stream>
void StreamTable<Stream>::LinkAsNewest(Place place) {
  links_[place].older = newest_;
  links_[place].newer = kNone;
  if (newest_ != kNone) {
    links_[newest_].newer = place;
  } else {
    oldest_ = place;
  }
  newest_ = place;
}

template <typename Stream>
void StreamTable<Stream>::Unlink(Place place) {
  const Link& link = links_[place];
  if (link.newer != kNone) {
    links_[link.newer].older = link.older;
  } else {
    newest_ = link.older;
  }
  if (link.older != kNone) {
    links_[link.older].newer = link.newer;
  } else {
    oldest_ = link.newer;
  }
}

}  // namespace sluice

#endif  // SRTP_STREAM_TABLE_H_
