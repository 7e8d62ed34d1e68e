#ifndef GATEWAY_IO_PORT_PAIRS_H_
#define GATEWAY_IO_PORT_PAIRS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/functional/function_ref.h"

namespace sluice {

// Which of a fixed number of port pairs are taken. Any thread, without locks: one bit per pair. A
// walk begins behind the pair that was taken last, so a pair given back rests until all others had
// their turn.
class PortPairs {
 public:
  enum class Answer : uint8_t { kTake, kNext, kStop };

  explicit PortPairs(size_t count);

  // Goes round once and offers each free pair to `try_pair`, which holds it while it is asked:
  // kTake keeps it, kNext goes on, kStop ends the walk. Nothing when no pair was kept.
  std::optional<size_t> Take(absl::FunctionRef<Answer(size_t)> try_pair);

  // Of a pair that Take returned, once.
  void GiveBack(size_t pair);

  size_t count() const { return count_; }
  size_t taken() const { return taken_.load(std::memory_order_relaxed); }

 private:
  bool TryMark(size_t pair);
  // The next walk begins no earlier than at `turn`.
  void MoveOn(uint64_t turn);

  const size_t count_;
  const std::unique_ptr<std::atomic<uint64_t>[]> words_;
  std::atomic<size_t> taken_{0};
  // Where the next walk begins; counts up for ever, pair = turn modulo count.
  std::atomic<uint64_t> next_turn_{0};
};

}  // namespace sluice

#endif  // GATEWAY_IO_PORT_PAIRS_H_
