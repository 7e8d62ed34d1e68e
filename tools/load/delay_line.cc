#include "tools/load/delay_line.h"

#include <algorithm>

#include "base/byte_order.h"

namespace sluice {

DelayLine::DelayLine(size_t capacity) : bytes_(capacity * kMaxSize) {
  free_slots_.reserve(capacity);
  for (size_t slot = capacity; slot > 0; --slot) {
    free_slots_.push_back(static_cast<uint32_t>(slot - 1));
  }
  waiting_.reserve(capacity);
}

bool DelayLine::IsLater(const Entry& a, const Entry& b) {
  return a.at != b.at ? a.at > b.at : a.order > b.order;
}

bool DelayLine::Push(Timestamp at, uint64_t tag, absl::Span<const uint8_t> bytes) {
  if (free_slots_.empty() || bytes.size() > kMaxSize) return false;
  const uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  CopyBytes(absl::MakeSpan(bytes_).subspan(slot * kMaxSize, kMaxSize), bytes);
  waiting_.push_back({.at = at,
                      .order = order_++,
                      .tag = tag,
                      .slot = slot,
                      .size = static_cast<uint32_t>(bytes.size())});
  std::push_heap(waiting_.begin(), waiting_.end(), IsLater);
  return true;
}

std::optional<DelayLine::Datagram> DelayLine::Pop(Timestamp now) {
  if (waiting_.empty() || waiting_.front().at > now) return std::nullopt;
  std::pop_heap(waiting_.begin(), waiting_.end(), IsLater);
  const Entry entry = waiting_.back();
  waiting_.pop_back();
  // The bytes stay until the next Push at the earliest.
  free_slots_.push_back(entry.slot);
  return Datagram{.at = entry.at,
                  .tag = entry.tag,
                  .bytes = absl::MakeConstSpan(bytes_).subspan(entry.slot * kMaxSize, entry.size)};
}

Timestamp DelayLine::NextDue() const {
  return waiting_.empty() ? Timestamp::PlusInfinity() : waiting_.front().at;
}

}  // namespace sluice
