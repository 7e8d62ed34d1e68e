#ifndef QUIC_IO_COMMAND_QUEUE_H_
#define QUIC_IO_COMMAND_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "quic/server/listener_turn.h"

namespace sluice {

// Runs once on the thread of its listener, or never when its listener stops before.
using ListenerCommand = absl::AnyInvocable<void(ListenerTurn&) &&>;

// Commands on their way to a thread that waits for a descriptor. Memory for all of them is there
// from the beginning.
class CommandQueue {
 public:
  // More would only wait longer: a turn runs all of them.
  static constexpr size_t kMaxCommands = 256;

  // Fails only when no descriptor is left.
  static absl::StatusOr<std::unique_ptr<CommandQueue>> Create();
  ~CommandQueue();
  CommandQueue(const CommandQueue&) = delete;
  CommandQueue& operator=(const CommandQueue&) = delete;

  // ---- Any thread. ----

  // False, which is counted, when kMaxCommands wait or the queue is closed.
  [[nodiscard]] bool Post(ListenerCommand command);
  // Makes fd() readable.
  void Wake();
  uint64_t refused() const;

  // ---- The thread that runs them. ----

  // Readable when there is something to take; stays owned by the queue.
  int fd() const { return fd_; }
  // All that wait, in order, to be run; good until the next call. fd() is not readable any more.
  absl::Span<ListenerCommand> TakeAll();
  // Takes none any more, and forgets those that wait.
  void Close();

 private:
  explicit CommandQueue(int fd);

  const int fd_;
  mutable absl::Mutex mutex_;
  std::vector<ListenerCommand> waiting_ ABSL_GUARDED_BY(mutex_);
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t refused_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<ListenerCommand> taken_;
};

}  // namespace sluice

#endif  // QUIC_IO_COMMAND_QUEUE_H_
