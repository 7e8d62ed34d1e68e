#include "interceptor/nack/send_history.h"

#include "base/byte_order.h"
#include "base/check.h"

namespace sluice {

static_assert(kMaxHistoryPacketSize <= SendHistory::kMinBytes);

SendHistory::SendHistory(size_t max_packets, size_t max_bytes)
    : mask_(max_packets - 1),
      records_(max_packets),
      newest_of_hash_(2 * max_packets),
      max_bytes_(max_bytes),
      bytes_(std::make_unique<uint8_t[]>(max_bytes)) {
  SLUICE_CHECK(AreValidLimits(max_packets, max_bytes)) << max_packets << " " << max_bytes;
}

StoreVerdict SendHistory::Store(Timestamp now, StreamSlot stream, SequenceNumber sequence,
                                absl::Span<const uint8_t> bytes, Timestamp last_sent) {
  if (bytes.size() > kMaxHistoryPacketSize) {
    return StoreVerdict::kTooLong;
  }
  Number& newest = newest_of_hash_[HashOf(stream, sequence)];
  if (FindRecord(newest, stream, sequence) != nullptr) {
    return StoreVerdict::kDuplicate;
  }
  // A packet does not go across the end of the ring: the rest there stays empty.
  const size_t at = end_ & (max_bytes_ - 1);
  const uint64_t begin = at + bytes.size() > max_bytes_ ? end_ + (max_bytes_ - at) : end_;
  end_ = begin + bytes.size();
  while (oldest_ < next_ && (size() > mask_ || record(oldest_).begin + max_bytes_ < end_)) {
    ++oldest_;
  }
  CopyBytes(absl::MakeSpan(&bytes_[begin & (max_bytes_ - 1)], bytes.size()), bytes);
  record(next_) = {.begin = begin,
                   .size = static_cast<uint32_t>(bytes.size()),
                   .sequence = sequence,
                   .stream = stream,
                   .same_hash = newest,
                   .stored = now,
                   .last_sent = last_sent};
  newest = next_++;
  return StoreVerdict::kStored;
}

std::optional<SendHistory::Packet> SendHistory::Find(StreamSlot stream, SequenceNumber sequence) {
  Record* found = FindRecord(newest_of_hash_[HashOf(stream, sequence)], stream, sequence);
  if (found == nullptr) {
    return std::nullopt;
  }
  return Packet{absl::MakeConstSpan(&bytes_[found->begin & (max_bytes_ - 1)], found->size),
                found->stored, &found->last_sent};
}

void SendHistory::Forget(StreamSlot stream) {
  for (Number number = oldest_; number < next_; ++number) {
    if (record(number).stream == stream) {
      record(number).stream = kNoStream;
    }
  }
}

}  // namespace sluice
