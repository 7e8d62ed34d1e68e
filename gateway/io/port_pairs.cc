#include "gateway/io/port_pairs.h"

#include "base/check.h"

namespace sluice {
namespace {

constexpr size_t kBitsPerWord = 64;

constexpr uint64_t BitOf(size_t pair) { return uint64_t{1} << (pair % kBitsPerWord); }

}  // namespace

PortPairs::PortPairs(size_t count)
    : count_(count), words_(std::make_unique<std::atomic<uint64_t>[]>(count / kBitsPerWord + 1)) {
  SLUICE_CHECK(count >= 1);
}

std::optional<size_t> PortPairs::Take(absl::FunctionRef<Answer(size_t)> try_pair) {
  const uint64_t first_turn = next_turn_.load(std::memory_order_relaxed);
  for (uint64_t turn = first_turn; turn < first_turn + count_; ++turn) {
    const size_t pair = static_cast<size_t>(turn % count_);
    if (!TryMark(pair)) continue;
    const Answer answer = try_pair(pair);
    if (answer == Answer::kTake) {
      MoveOn(turn + 1);
      return pair;
    }
    GiveBack(pair);
    if (answer == Answer::kStop) return std::nullopt;
  }
  return std::nullopt;
}

void PortPairs::GiveBack(size_t pair) {
  SLUICE_CHECK(pair < count_);
  const uint64_t before =
      words_[pair / kBitsPerWord].fetch_and(~BitOf(pair), std::memory_order_acq_rel);
  SLUICE_CHECK((before & BitOf(pair)) != 0) << "port pair " << pair << " was not taken";
  taken_.fetch_sub(1, std::memory_order_relaxed);
}

bool PortPairs::TryMark(size_t pair) {
  std::atomic<uint64_t>& word = words_[pair / kBitsPerWord];
  // A look first, so that a walk over taken pairs writes nothing.
  if ((word.load(std::memory_order_relaxed) & BitOf(pair)) != 0) return false;
  const uint64_t before = word.fetch_or(BitOf(pair), std::memory_order_acq_rel);
  if ((before & BitOf(pair)) != 0) return false;
  taken_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void PortPairs::MoveOn(uint64_t turn) {
  uint64_t next = next_turn_.load(std::memory_order_relaxed);
  while (next < turn && !next_turn_.compare_exchange_weak(next, turn, std::memory_order_relaxed)) {
  }
}

}  // namespace sluice
