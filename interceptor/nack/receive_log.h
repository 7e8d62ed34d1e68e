#ifndef INTERCEPTOR_NACK_RECEIVE_LOG_H_
#define INTERCEPTOR_NACK_RECEIVE_LOG_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace sluice {

// What a packet's number says about its stream.
enum class ReceiveVerdict : uint8_t {
  // Ahead of all before it; those between are missing.
  kNewest,
  // Behind the newest and not seen before: reordered or repaired.
  kLate,
  kDuplicate,
  // Too far from all before it to say what is between: kept aside until another one like it shows
  // that the sender jumped.
  kFar,
  // The second far packet in a row: the log began anew with the two.
  kRestarted,
};

struct ReceiveRecord {
  ReceiveVerdict verdict;
  // Unwrapped; means nothing with kFar.
  int64_t sequence;
  // With kNewest and kRestarted, `missing_from` .. `sequence` - 1 did not come; else the two are
  // the same.
  int64_t missing_from;
};

// Which packets of one stream came: a bit for the newest number and each of those before it, as
// many as `window`. Does not know time. All memory is taken in the constructor. One thread.
class ReceiveLog {
 public:
  // At most a quarter of the numbers, so that behind, ahead and far are never the same.
  static constexpr size_t kMinWindow = 64;
  static constexpr size_t kMaxWindow = 16384;

  // A power of two in kMinWindow..kMaxWindow.
  static constexpr bool IsValidWindow(size_t window) {
    return window >= kMinWindow && window <= kMaxWindow && (window & (window - 1)) == 0;
  }

  // `window` is valid; a number that leaves more than `max_gap` missing, 1..window - 1, is far.
  ReceiveLog(size_t window, size_t max_gap);

  // A packet of the stream itself.
  ReceiveRecord Record(uint16_t sequence) {
    // Packets that follow each other are what it is about.
    if (static_cast<uint16_t>(sequence - newest_) == 1 && !empty_) {
      ++newest_;
      Set(newest_);
      far_.reset();
      return {ReceiveVerdict::kNewest, newest_, newest_};
    }
    return RecordOther(sequence);
  }
  // A packet that was repeated: it may be new as well, but a far one says nothing about where the
  // stream is, because it may have been repeated before the sender jumped.
  ReceiveRecord RecordRepeated(uint16_t sequence);

  // Of those that the log remembers; unwrapped.
  int64_t newest() const { return newest_; }
  int64_t oldest() const { return newest_ + 1 - window_; }
  bool empty() const { return empty_; }

  // The stream is over: as new.
  void Clear();

 private:
  static constexpr size_t kWordBits = 64;

  size_t Index(int64_t sequence) const {
    return static_cast<size_t>(sequence) & (static_cast<size_t>(window_) - 1);
  }
  void Set(int64_t sequence) {
    const size_t i = Index(sequence);
    bits_[i / kWordBits] |= uint64_t{1} << (i % kWordBits);
  }
  void Unset(int64_t sequence) {
    const size_t i = Index(sequence);
    bits_[i / kWordBits] &= ~(uint64_t{1} << (i % kWordBits));
  }
  bool IsSet(int64_t sequence) const {
    const size_t i = Index(sequence);
    return (bits_[i / kWordBits] >> (i % kWordBits) & 1) != 0;
  }
  ReceiveRecord RecordOther(uint16_t sequence);
  ReceiveRecord RecordFar(uint16_t sequence);
  // Nothing when it is far.
  std::optional<ReceiveRecord> RecordNear(uint16_t sequence);
  void Begin(int64_t sequence);
  ReceiveRecord MoveOn(int64_t sequence);

  const int64_t window_;
  const int64_t max_gap_;
  // By the number's low bits. Those behind the newest count.
  std::unique_ptr<uint64_t[]> bits_;
  bool empty_ = true;
  // Its low 16 bits are those on the wire.
  int64_t newest_ = 0;
  // The far packet that was kept aside.
  std::optional<uint16_t> far_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_NACK_RECEIVE_LOG_H_
