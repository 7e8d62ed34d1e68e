#include "gateway/worker/worker_loop.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/time_delta.h"
#include "gateway/io/steady_clock.h"
#include "gateway/io/wall_clock.h"
#include "gateway/worker/packet_slots.h"
#include "srtp/crypto/engine_choice.h"

namespace sluice {
namespace {

// Longest sleep: the loop shows that it lives, and a timeout whose wake-up was missed is not lost.
constexpr TimeDelta kLongestWait = TimeDelta::Seconds(1);

// When timeouts are due that cannot be worked off (no room to report the ends of sessions): the
// control room's next TakeNotices wakes the loop, so this only keeps it from spinning till then.
constexpr TimeDelta kStalledWait = TimeDelta::Millis(20);

// Commands take some microseconds each, thousands may wait, and media must not wait for all.
constexpr size_t kCommandsPerTurn = 16;

// Sessions that timed out and wait for the control room to take notice; more stay alive until it
// has.
constexpr size_t kMaxEnded = 64;

// The wakeup's token in epoll. No socket has it: it is the handle that is never valid.
constexpr uint64_t kWakeupToken = SocketHandle().ToUint64();

SessionTableLimits TableLimits(const WorkerLimits& limits) {
  SessionTableLimits result;
  result.sessions = limits.sessions;
  result.legs = limits.sessions * limits.legs_per_session;
  result.legs_per_session = limits.legs_per_session;
  result.streams_per_leg = limits.streams_per_leg;
  result.receive_batch = limits.receive_batch;
  result.extra_srtp_bytes = limits.extra_srtp_bytes;
  result.interceptor_bytes = limits.interceptor_bytes;
  result.held_packets = limits.held_packets;
  // All other legs of its session.
  result.destinations_per_leg = std::max<size_t>(limits.legs_per_session, 2) - 1;
  return result;
}

// An RTP and an RTCP socket per leg.
size_t MaxSockets(const WorkerLimits& limits) {
  return 2 * limits.sessions * limits.legs_per_session;
}

absl::Status Check(const WorkerLimits& limits) {
  if (std::min({limits.sessions, limits.legs_per_session, limits.streams_per_leg,
                limits.receive_batch, limits.outbox_packets, limits.mailbox_commands,
                limits.event_queue}) == 0) {
    return absl::InvalidArgumentError("a limit of the worker is 0; all must be at least 1");
  }
  if (const size_t needed = PacketSlots(limits); limits.packet_slots < needed) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a worker with receive_batch ", limits.receive_batch, " and outbox_packets ",
        limits.outbox_packets, " holds up to ", needed, " packets, but packet_slots is ",
        limits.packet_slots, ": raise it or lower the others"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<WorkerLoop>> WorkerLoop::Create(const WorkerLimits& limits,
                                                               EngineKind engine,
                                                               std::function<void()> wake) {
  if (absl::Status status = Check(limits); !status.ok()) return status;
  absl::StatusOr<Epoll> epoll = Epoll::Create();
  if (!epoll.ok()) return epoll.status();
  absl::StatusOr<Wakeup> wakeup = Wakeup::Create();
  if (!wakeup.ok()) return wakeup.status();
  auto loop = absl::WrapUnique(
      new WorkerLoop(limits, engine, *std::move(epoll), *std::move(wakeup), std::move(wake)));
  absl::Status status = loop->epoll_.Add(loop->wakeup_.fd(), kWakeupToken);
  if (!status.ok()) return status;
  return loop;
}

WorkerLoop::WorkerLoop(const WorkerLimits& limits, EngineKind engine, Epoll epoll, Wakeup wakeup,
                       std::function<void()> wake)
    : arena_(limits.packet_slots),
      engine_(MakeEngine(engine)),
      epoll_(std::move(epoll)),
      wakeup_(std::move(wakeup)),
      mailbox_(limits.mailbox_commands, wakeup_),
      notices_(limits.event_queue, std::move(wake)),
      sockets_(MaxSockets(limits), epoll_),
      sessions_(TableLimits(limits), arena_, *engine_, {&random_, NtpOrigin()}),
      outbox_(limits.outbox_packets, limits.event_queue, kMaxEnded),
      receive_batch_(limits.receive_batch, arena_),
      now_(SteadyClock::Now()) {}

void WorkerLoop::Run() {
  while (!stop_.load(std::memory_order_acquire)) Turn();
  mailbox_.Close();
  sockets_.Clear();
}

void WorkerLoop::RequestStop() {
  stop_.store(true, std::memory_order_release);
  wakeup_.Signal();
}

std::vector<WorkerNotice> WorkerLoop::TakeNotices() {
  std::vector<WorkerNotice> notices = notices_.Take();
  // When the queue was full, more wait in the outbox.
  if (notices.size() == notices_.capacity()) wakeup_.Signal();
  return notices;
}

WorkerUsage WorkerLoop::Usage() const {
  WorkerUsage usage;
  usage.sessions = sessions_.session_count();
  usage.legs = sessions_.leg_count();
  usage.sockets = sockets_.size();
  usage.packet_slots = arena_.capacity();
  usage.packet_slots_free = arena_.free() + receive_batch_.spare();
  usage.packet_slots_exhausted = arena_.exhausted();
  usage.events_dropped = outbox_.events_dropped();
  usage.extra_srtp = sessions_.extra_srtp();
  usage.interceptor_bytes = sessions_.interceptor_bytes();
  usage.held_packets = sessions_.held_packets();
  usage.interceptor_drops = sessions_.interceptor_drops();
  return usage;
}

void WorkerLoop::Turn() {
  if (ready_.empty()) Wait();
  now_ = SteadyClock::Now();
  Receive();
  if (!receive_batch_.empty()) {
    sessions_.HandleBatch(now_, receive_batch_.datagrams(), outbox_);
    receive_batch_.Clear();
  }
  if (sessions_.NextTimeout() <= now_) sessions_.HandleTimeout(now_, outbox_);
  Send();
  RunCommands();
  TellNotices();
  session_count_.store(sessions_.session_count(), std::memory_order_relaxed);
  turns_.fetch_add(1, std::memory_order_relaxed);
}

void WorkerLoop::Wait() {
  TimeDelta timeout = std::min(sessions_.NextTimeout() - now_, kLongestWait);
  if (timeout <= TimeDelta::Zero()) timeout = kStalledWait;
  if (more_commands_) timeout = TimeDelta::Zero();
  ready_ = epoll_.Wait(timeout);
}

// Each socket that epoll reported has one turn before epoll is asked again, however many batches
// that takes; so no socket gets a second turn before all others had their first.
void WorkerLoop::Receive() {
  while (!ready_.empty() && !receive_batch_.full()) {
    const uint64_t token = ready_.front();
    ready_.remove_prefix(1);
    if (token == kWakeupToken) {
      wakeup_.Clear();
      continue;
    }
    // Null when the leg was removed since epoll reported the socket.
    const SocketTable::Entry* entry = sockets_.Find(SocketHandle::FromUint64(token));
    if (entry != nullptr) receive_batch_.Receive(*entry->socket, entry->leg, entry->component);
  }
}

void WorkerLoop::Send() {
  if (outbox_.packets().empty()) return;
  const auto find_socket = [this](SocketHandle handle) -> const UdpSocket* {
    const SocketTable::Entry* entry = sockets_.Find(handle);
    return entry == nullptr ? nullptr : entry->socket;
  };
  const auto report = [this](const OutgoingDatagram& datagram, SendOutcome outcome) {
    sessions_.HandleSendResult(datagram.leg, outcome == SendOutcome::kSent, datagram.packet.size());
  };
  send_batch_.Send(outbox_.packets(), find_socket, report);
  outbox_.ClearPackets();
}

void WorkerLoop::RunCommands() {
  size_t done = 0;
  while (done < kCommandsPerTurn) {
    std::optional<MailboxCommand> command = mailbox_.Take();
    if (!command.has_value()) break;
    (*std::move(command))();
    ++done;
    // Before the command's end is seen by its caller, so that the next session it makes goes to the
    // worker that then has the fewest.
    session_count_.store(sessions_.session_count(), std::memory_order_relaxed);
  }
  more_commands_ = done == kCommandsPerTurn;
}

void WorkerLoop::TellNotices() {
  // Closed at once, even if the report has to wait: the ports are wanted by others.
  RingBuffer<std::unique_ptr<EndedSession>>& ended = outbox_.ended();
  for (size_t i = 0; i < ended.size(); ++i) {
    sockets_.Remove(ended[i]->sockets);
    ended[i]->sockets.clear();
  }
  RingBuffer<SessionEvent>& events = outbox_.events();
  while (!events.empty() && !notices_.full()) {
    notices_.Push({.event = events.PopFront(), .ended = nullptr});
  }
  while (!ended.empty() && !notices_.full()) {
    notices_.Push(
        {.event = std::nullopt,
         .ended = std::make_unique<SessionSnapshot>(std::move(ended.PopFront()->report))});
  }
  notices_.Flush();
}

}  // namespace sluice
