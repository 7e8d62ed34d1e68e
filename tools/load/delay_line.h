#ifndef TOOLS_LOAD_DELAY_LINE_H_
#define TOOLS_LOAD_DELAY_LINE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "base/timestamp.h"

namespace sluice {

// Datagrams on their way, until they are due. All memory is there from the beginning. One thread.
class DelayLine {
 public:
  // More than Ethernet carries.
  static constexpr size_t kMaxSize = 2048;

  struct Datagram {
    Timestamp at;
    // As given.
    uint64_t tag;
    // A view into the line, until the next call.
    absl::Span<const uint8_t> bytes;
  };

  // Room for `capacity` datagrams.
  explicit DelayLine(size_t capacity);
  DelayLine(const DelayLine&) = delete;
  DelayLine& operator=(const DelayLine&) = delete;

  // Keeps a copy until `at`. False when the line is full or the datagram is too long.
  [[nodiscard]] bool Push(Timestamp at, uint64_t tag, absl::Span<const uint8_t> bytes);
  // The next that is due at or before `now`: by time, and of the same time in the order of Push.
  std::optional<Datagram> Pop(Timestamp now);
  // PlusInfinity() when nothing is on its way.
  Timestamp NextDue() const;

  size_t size() const { return waiting_.size(); }

 private:
  struct Entry {
    Timestamp at;
    uint64_t order;
    uint64_t tag;
    uint32_t slot;
    uint32_t size;
  };
  // What std::push_heap wants, so that the earliest is at the front.
  static bool IsLater(const Entry& a, const Entry& b);

  std::vector<uint8_t> bytes_;
  // Never more than the capacity, which is reserved.
  std::vector<uint32_t> free_slots_;
  std::vector<Entry> waiting_;
  uint64_t order_ = 0;
};

}  // namespace sluice

#endif  // TOOLS_LOAD_DELAY_LINE_H_
