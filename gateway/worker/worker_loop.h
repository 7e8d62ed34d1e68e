#ifndef GATEWAY_WORKER_WORKER_LOOP_H_
#define GATEWAY_WORKER_WORKER_LOOP_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/timestamp.h"
#include "gateway/io/epoll.h"
#include "gateway/io/receive_batch.h"
#include "gateway/io/send_batch.h"
#include "gateway/io/system_random.h"
#include "gateway/io/wakeup.h"
#include "gateway/session/outbox.h"
#include "gateway/session/session_table.h"
#include "gateway/worker/mailbox.h"
#include "gateway/worker/notice_queue.h"
#include "gateway/worker/socket_table.h"
#include "gateway/worker/worker_limits.h"
#include "gateway/worker/worker_notice.h"
#include "gateway/worker/worker_usage.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/packet_arena.h"

namespace sluice {

// What runs on a worker's thread: all its state, and the turns that carry packets from sockets
// through the sessions to sockets. Except where it says "any thread", all is for the thread of Run.
class WorkerLoop {
 public:
  // InvalidArgument when the limits do not fit together, ResourceExhausted without descriptors.
  // `engine` is one that ChooseEngine gave. `wake` is called on the thread of Run when notices wait
  // that did not before.
  static absl::StatusOr<std::unique_ptr<WorkerLoop>> Create(const WorkerLimits& limits,
                                                            EngineKind engine,
                                                            std::function<void()> wake);
  WorkerLoop(const WorkerLoop&) = delete;
  WorkerLoop& operator=(const WorkerLoop&) = delete;

  // Turns until RequestStop; then closes the mailbox and all sockets.
  void Run();
  // Any thread.
  void RequestStop();
  // Any thread.
  Mailbox& mailbox() { return mailbox_; }
  // One control thread.
  std::vector<WorkerNotice> TakeNotices();
  // Any thread: turns so far; at least one a second.
  uint64_t turns() const { return turns_.load(std::memory_order_relaxed); }
  // Any thread.
  size_t session_count() const { return session_count_.load(std::memory_order_relaxed); }

  // For commands.
  Timestamp now() const { return now_; }
  SessionTable& sessions() { return sessions_; }
  SocketTable& sockets() { return sockets_; }
  WorkerUsage Usage() const;

 private:
  WorkerLoop(const WorkerLimits& limits, EngineKind engine, Epoll epoll, Wakeup wakeup,
             std::function<void()> wake);

  void Turn();
  void Wait();
  void Receive();
  void Send();
  void RunCommands();
  void TellNotices();

  PacketArena arena_;
  const std::unique_ptr<CryptoEngine> engine_;
  SystemRandom random_;
  Epoll epoll_;
  Wakeup wakeup_;
  Mailbox mailbox_;
  NoticeQueue notices_;
  SocketTable sockets_;
  SessionTable sessions_;
  Outbox outbox_;
  ReceiveBatch receive_batch_;
  SendBatch send_batch_;

  Timestamp now_;
  // What epoll reported and no turn has looked at yet.
  absl::Span<const uint64_t> ready_;
  bool more_commands_ = false;
  std::atomic<bool> stop_{false};
  std::atomic<uint64_t> turns_{0};
  std::atomic<size_t> session_count_{0};
};

}  // namespace sluice

#endif  // GATEWAY_WORKER_WORKER_LOOP_H_
