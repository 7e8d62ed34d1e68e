#ifndef INTERCEPTOR_TWCC_ARRIVAL_LOG_H_
#define INTERCEPTOR_TWCC_ARRIVAL_LOG_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

#include "base/timestamp.h"

namespace sluice {

// What became of one packet that came.
enum class ArrivalVerdict : uint8_t {
  kRecorded,
  // Seen before; the first arrival stands (RFC 8888 section 3.1).
  kDuplicate,
  // Far from all before it: kept aside until another one like it shows that the sender jumped.
  kFar,
};

// When the packets of one count of 16 bits came, for feedback about them. Remembers the newest
// number and those before it, as many as `capacity`: a number that comes late is recorded, and what
// came since is to be reported again with it.
//
// A single number beyond that range is no reason to forget everything; two in a row are, and the
// log begins anew with them. All memory is taken in the constructor. One thread.
class ArrivalLog {
 public:
  // At most half of the numbers, so that there is no doubt which one is meant.
  static constexpr size_t kMinCapacity = 64;
  static constexpr size_t kMaxCapacity = 32768;

  // A power of two in kMinCapacity..kMaxCapacity.
  static constexpr bool IsValidCapacity(size_t capacity) {
    return capacity >= kMinCapacity && capacity <= kMaxCapacity && (capacity & (capacity - 1)) == 0;
  }

  // `capacity` is valid.
  explicit ArrivalLog(size_t capacity);

  // `arrived` is finite.
  ArrivalVerdict Record(uint16_t sequence, Timestamp arrived) {
    // Packets that follow each other are what it is about.
    if (static_cast<uint16_t>(sequence - newest_) == 1 && !empty()) {
      ++newest_;
      arrivals_[Index(newest_)] = arrived.us();
      far_.reset();
      return ArrivalVerdict::kRecorded;
    }
    return RecordOther(sequence, arrived);
  }

  // ---- Numbers below are unwrapped; they count from the first one recorded. ----

  // The first one to be reported next, end() when there is nothing new. Not before end() -
  // capacity: what fell out of the log unreported is gone.
  int64_t first_unreported() const {
    const int64_t oldest = newest_ + 1 - capacity_;
    return next_report_ > oldest ? next_report_ : oldest;
  }
  // Behind the newest.
  int64_t end() const { return newest_ + 1; }
  // When `sequence` came, in first_unreported()..end() - 1; nothing when it did not.
  std::optional<Timestamp> arrival(int64_t sequence) const {
    const int64_t us = arrivals_[Index(sequence)];
    return us == kMissing ? std::nullopt : std::optional(Timestamp::Micros(us));
  }
  // The same as microseconds, kMissing when it did not.
  int64_t arrival_us(int64_t sequence) const { return arrivals_[Index(sequence)]; }
  static constexpr int64_t kMissing = std::numeric_limits<int64_t>::min();

  // Those before `next` are reported; `next` is at most end().
  void MarkReported(int64_t next);

  // Whether anything came since the last report; the newest number always did come.
  bool HasNews() const { return next_report_ <= newest_; }
  // Whether a report is due lest something falls out of the log.
  bool IsHalfFull() const { return newest_ + 1 - next_report_ >= capacity_ / 2; }
  bool empty() const { return empty_; }
  size_t capacity() const { return static_cast<size_t>(capacity_); }

  // The stream is over: as new.
  void Clear();

  // Since construction: seen before; far away and alone; how often the log began anew; numbers that
  // fell out of the log before they were reported.
  uint64_t duplicates() const { return duplicates_; }
  uint64_t far() const { return far_count_; }
  uint64_t restarts() const { return restarts_; }
  uint64_t overrun() const { return overrun_; }

 private:
  struct Far {
    uint16_t sequence;
    Timestamp arrived;
  };

  size_t Index(int64_t sequence) const {
    return static_cast<size_t>(sequence) & (static_cast<size_t>(capacity_) - 1);
  }
  ArrivalVerdict RecordOther(uint16_t sequence, Timestamp arrived);
  ArrivalVerdict RecordFar(uint16_t sequence, Timestamp arrived);
  void Begin(int64_t sequence, Timestamp arrived);
  // `newest_` moves on to `sequence`, less than the capacity away.
  void MoveOn(int64_t sequence, Timestamp arrived);

  const int64_t capacity_;
  // By the number's low bits, microseconds or kMissing.
  std::unique_ptr<int64_t[]> arrivals_;
  bool empty_ = true;
  // Its low 16 bits are those on the wire.
  int64_t newest_ = -1;
  int64_t next_report_ = 0;
  std::optional<Far> far_;
  uint64_t duplicates_ = 0;
  uint64_t far_count_ = 0;
  uint64_t restarts_ = 0;
  uint64_t overrun_ = 0;
};

}  // namespace sluice

#endif  // INTERCEPTOR_TWCC_ARRIVAL_LOG_H_
