#include "gateway/worker/mailbox.h"

#include <algorithm>
#include <bit>
#include <thread>
#include <utility>

namespace sluice {

Mailbox::Mailbox(size_t capacity, Wakeup& wakeup)
    : mask_(std::bit_ceil(std::max<size_t>(capacity, 2)) - 1),
      cells_(std::make_unique<Cell[]>(mask_ + 1)),
      wakeup_(wakeup) {
  for (uint64_t i = 0; i <= mask_; ++i) cells_[i].turn.store(i, std::memory_order_relaxed);
}

Mailbox::~Mailbox() = default;

Mailbox::PostResult Mailbox::Post(MailboxCommand command) {
  // Either Close sees this post in posting_ and waits for it, or this post sees closed_: both sides
  // write their own word before they read the other's, in one order for all (seq_cst).
  posting_.fetch_add(1);
  PostResult result = PostResult::kClosed;
  if (!closed_.load()) result = Push(command) ? PostResult::kPosted : PostResult::kFull;
  posting_.fetch_sub(1);
  if (result == PostResult::kPosted) wakeup_.Signal();
  return result;
}

// The bounded queue of D. Vyukov (1024cores.net): a position is won by compare-exchange, then the
// cell's turn hands it from poster to taker and, a round later, back.
bool Mailbox::Push(MailboxCommand& command) {
  uint64_t position = push_position_.load(std::memory_order_relaxed);
  while (true) {
    Cell& cell = cells_[position & mask_];
    const uint64_t turn = cell.turn.load(std::memory_order_acquire);
    if (turn == position) {
      if (push_position_.compare_exchange_weak(position, position + 1, std::memory_order_relaxed)) {
        cell.command = std::move(command);
        cell.turn.store(position + 1, std::memory_order_release);
        return true;
      }
    } else if (turn < position) {
      // Still holds the command of the round before.
      return false;
    } else {
      position = push_position_.load(std::memory_order_relaxed);
    }
  }
}

std::optional<MailboxCommand> Mailbox::Take() {
  Cell& cell = cells_[take_position_ & mask_];
  if (cell.turn.load(std::memory_order_acquire) != take_position_ + 1) return std::nullopt;
  std::optional<MailboxCommand> command = std::exchange(cell.command, nullptr);
  cell.turn.store(take_position_ + mask_ + 1, std::memory_order_release);
  ++take_position_;
  return command;
}

void Mailbox::Close() {
  closed_.store(true);
  while (posting_.load() != 0) std::this_thread::yield();
  while (Take().has_value()) {
  }
}

}  // namespace sluice
