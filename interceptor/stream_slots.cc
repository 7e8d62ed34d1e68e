#include "interceptor/stream_slots.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace sluice {

StreamSlots::StreamSlots(size_t max_streams) : streams_(max_streams) {
  SLUICE_CHECK(max_streams >= 1 && max_streams <= kMaxStreams) << max_streams << " streams";
  const size_t cells = std::bit_ceil(2 * kRoles * max_streams);
  cells_.resize(cells);
  mask_ = cells - 1;
  shift_ = 32 - static_cast<unsigned>(std::countr_zero(cells));
}

AddStreamVerdict StreamSlots::Add(const StreamInfo& info, StreamSlot& slot) {
  const Stream stream = {info.ssrc, info.retransmission_ssrc, info.repair_ssrc};
  for (size_t i = 0; i < kRoles; ++i) {
    if (!stream[i].has_value()) {
      continue;
    }
    if (Find(*stream[i]).slot != kNoStream ||
        std::find(stream.begin(), stream.begin() + i, stream[i]) != stream.begin() + i) {
      return AddStreamVerdict::kSsrcInUse;
    }
  }
  const auto free = std::find_if(streams_.begin(), streams_.end(),
                                 [](const Stream& s) { return !s[0].has_value(); });
  if (free == streams_.end()) {
    return AddStreamVerdict::kTooManyStreams;
  }
  *free = stream;
  ++size_;
  slot = StreamSlot(static_cast<uint16_t>(free - streams_.begin()));
  for (size_t i = 0; i < kRoles; ++i) {
    if (stream[i].has_value()) {
      Insert(*stream[i], slot, static_cast<SsrcRole>(i));
    }
  }
  return AddStreamVerdict::kOk;
}

bool StreamSlots::Join(Ssrc media_ssrc, SsrcRole role, Ssrc ssrc) {
  const Place place = Find(media_ssrc);
  if (place.slot == kNoStream || place.role != SsrcRole::kMedia || Find(ssrc).slot != kNoStream) {
    return false;
  }
  std::optional<Ssrc>& known = streams_[place.slot.value()][static_cast<size_t>(role)];
  if (known.has_value()) {
    return false;
  }
  known = ssrc;
  Insert(ssrc, place.slot, role);
  return true;
}

std::optional<StreamSlot> StreamSlots::Remove(Ssrc media_ssrc) {
  const Place place = Find(media_ssrc);
  if (place.slot == kNoStream || place.role != SsrcRole::kMedia) {
    return std::nullopt;
  }
  streams_[place.slot.value()] = Stream();
  --size_;
  // Cells behind the freed ones may have been pushed there by them; streams go rarely enough to
  // place all anew.
  std::fill(cells_.begin(), cells_.end(), Cell());
  for (size_t slot = 0; slot < streams_.size(); ++slot) {
    for (size_t i = 0; i < kRoles; ++i) {
      if (streams_[slot][i].has_value()) {
        Insert(*streams_[slot][i], StreamSlot(static_cast<uint16_t>(slot)),
               static_cast<SsrcRole>(i));
      }
    }
  }
  return place.slot;
}

void StreamSlots::Insert(Ssrc ssrc, StreamSlot slot, SsrcRole role) {
  size_t i = IndexOf(ssrc);
  while (cells_[i].slot != kNoStream.value()) {
    i = (i + 1) & mask_;
  }
  cells_[i] = {ssrc.value(), slot.value(), role};
}

}  // namespace sluice
