#ifndef INTERCEPTOR_TWCC_SEND_LOG_H_
#define INTERCEPTOR_TWCC_SEND_LOG_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/data_size.h"
#include "base/timestamp.h"
#include "interceptor/packet_attributes.h"

namespace sluice {

// What became of what the peer said of one packet.
enum class OutcomeVerdict : uint8_t {
  // It is told for the first time, or the packet came after it was said to be missing.
  kNews,
  // Told before; feedback may overlap.
  kKnown,
  // The packet fell out of the log before.
  kForgotten,
  // No packet with this number was sent.
  kNeverSent,
};

// The packets sent most recently, for feedback about them. Numbers them: the first one is 0. All
// memory is taken in the constructor. One thread.
class SendLog {
 public:
  // As for ArrivalLog: at most half of the numbers on the wire.
  static constexpr size_t kMinCapacity = 64;
  static constexpr size_t kMaxCapacity = 32768;

  // A power of two in kMinCapacity..kMaxCapacity.
  static constexpr bool IsValidCapacity(size_t capacity) {
    return capacity >= kMinCapacity && capacity <= kMaxCapacity && (capacity & (capacity - 1)) == 0;
  }

  // `capacity` is valid.
  explicit SendLog(size_t capacity);

  // A packet of 0..65535 bytes; `probe_cluster` 0: none. Returns its number.
  int64_t Add(Timestamp sent, DataSize size, uint32_t probe_cluster) {
    entries_[Index(next_)] = {sent.us(), probe_cluster, static_cast<uint16_t>(size.bytes()),
                              State::kInFlight};
    return next_++;
  }

  // The peer received packet `sequence` when its clock said `arrived`, or did not receive it
  // (PlusInfinity). Fills `report` in when the answer is kNews.
  [[nodiscard]] OutcomeVerdict Report(int64_t sequence, Timestamp arrived, PacketReport& report);

  // Numbers in the log are oldest()..next() - 1.
  int64_t oldest() const {
    return next_ > capacity() ? next_ - static_cast<int64_t>(capacity()) : 0;
  }
  int64_t next() const { return next_; }
  int64_t capacity() const { return static_cast<int64_t>(mask_) + 1; }

  // What a number on the wire means: the one nearest to what was sent last. It may be yet to be
  // sent, or below 0.
  int64_t Nearest(TransportSequence sequence) const {
    const auto back = static_cast<uint16_t>(next_ - 1 - sequence.value());
    return next_ - 1 - (back < 0x8000 ? int64_t{back} : int64_t{back} - 0x10000);
  }

 private:
  enum class State : uint8_t { kInFlight, kMissing, kReceived };
  struct Entry {
    int64_t sent_us;
    uint32_t probe_cluster;
    uint16_t size;
    State state;
  };
  static_assert(sizeof(Entry) == 16);

  size_t Index(int64_t sequence) const { return static_cast<size_t>(sequence) & mask_; }

  const size_t mask_;
  std::unique_ptr<Entry[]> entries_;
  int64_t next_ = 0;
};

}  // namespace sluice

#endif  // INTERCEPTOR_TWCC_SEND_LOG_H_
