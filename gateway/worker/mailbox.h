#ifndef GATEWAY_WORKER_MAILBOX_H_
#define GATEWAY_WORKER_MAILBOX_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/functional/any_invocable.h"
#include "gateway/io/wakeup.h"

namespace sluice {

// Work for a worker. One that cannot be run is destroyed instead, so whoever waits for it must
// learn of its destruction.
using MailboxCommand = absl::AnyInvocable<void() &&>;

// A bounded queue of commands: many threads post, the worker's thread takes. Nobody waits for a
// lock and the worker never waits at all. Commands of one thread are taken in the order of its
// posts.
class Mailbox {
 public:
  enum class PostResult : uint8_t { kPosted, kFull, kClosed };

  // Holds `capacity` commands rounded up to a power of two, at least 2. Signals `wakeup`, which
  // outlives the mailbox, after each post.
  Mailbox(size_t capacity, Wakeup& wakeup);
  // No thread may be posting any more.
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  // Any thread. Unless it answers kPosted, `command` was destroyed.
  [[nodiscard]] PostResult Post(MailboxCommand command);

  // The worker's thread. The oldest command; nothing when there is none (or when the oldest post is
  // still under way, whose end signals the wakeup).
  std::optional<MailboxCommand> Take();

  // The worker's thread, once: later posts answer kClosed and all that was posted is destroyed.
  void Close();

  size_t capacity() const { return mask_ + 1; }

 private:
  struct Cell {
    // Whose turn the cell is: its position for the poster, position + 1 for the taker.
    std::atomic<uint64_t> turn;
    MailboxCommand command;
  };

  bool Push(MailboxCommand& command);

  const uint64_t mask_;
  const std::unique_ptr<Cell[]> cells_;
  Wakeup& wakeup_;
  // On cache lines of their own: posters fight for the first, the worker alone writes the last.
  alignas(64) std::atomic<uint64_t> push_position_{0};
  alignas(64) std::atomic<bool> closed_{false};
  std::atomic<uint64_t> posting_{0};
  alignas(64) uint64_t take_position_ = 0;
};

}  // namespace sluice

#endif  // GATEWAY_WORKER_MAILBOX_H_
