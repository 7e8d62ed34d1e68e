#include "gateway/worker/worker.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/functional/function_ref.h"
#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "gateway/errors/error_detail.h"
#include "gateway/session/session_table.h"
#include "gateway/worker/mailbox.h"
#include "gateway/worker/worker_loop.h"
#include "interceptor/packet_log/packet_log_ring.h"

namespace sluice {
namespace {

// Copied out by one command; a snapshot takes some microseconds, and meanwhile no media flows.
constexpr size_t kSnapshotsPerCommand = 16;

// All but those that tell of a fault in the thread itself.
sigset_t SignalsForOthers() {
  sigset_t signals;
  sigfillset(&signals);
  for (const int fault : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP}) {
    sigdelset(&signals, fault);
  }
  return signals;
}

absl::StatusOr<PacketLogRing*> OpenPacketLog(PacketLogs* logs, absl::string_view session_id,
                                             const LegSpec& spec, const MediaSockets& sockets) {
  if (logs == nullptr) {
    return PreconditionFailed("NO_PACKET_LOG_FOLDER", "packet_log_folder",
                              "this gateway writes no packet logs: start it with "
                              "--packet-log-folder");
  }
  LoggedLeg leg = {session_id, spec.id, sockets.advertised_rtp(), sockets.advertised_rtcp(),
                   {},         {}};
  if (spec.remote.has_value()) {
    leg.remote_rtp = spec.remote->rtp;
    leg.remote_rtcp = spec.remote->rtcp;
  } else if (leg.local_rtp.ip.family() == IpFamily::kIpv6) {
    leg.remote_rtp.ip = leg.remote_rtcp.ip = IpAddress::V6({});
  }
  return logs->Open(leg);
}

}  // namespace

struct Worker::State {
  // Runs `work` on the worker's thread and waits for its answer.
  template <typename Result>
  absl::StatusOr<Result> Call(absl::FunctionRef<absl::StatusOr<Result>(WorkerLoop&)> work);

  size_t index = 0;
  MediaPortPool* ports = nullptr;
  PacketLogs* packet_logs = nullptr;
  std::unique_ptr<WorkerLoop> loop;
  std::thread thread;
  std::once_flag stopped;
};

template <typename Result>
absl::StatusOr<Result> Worker::State::Call(
    absl::FunctionRef<absl::StatusOr<Result>(WorkerLoop&)> work) {
  // Stays when the command is destroyed without having run.
  absl::StatusOr<Result> result =
      absl::UnavailableError(absl::StrCat("worker ", index, " is stopping"));
  absl::Notification done;
  // Everything the command refers to lives in this call, which does not end before the command has.
  const Mailbox::PostResult posted = loop->mailbox().Post(
      [&, notify = absl::MakeCleanup([&done] { done.Notify(); })] { result = work(*loop); });
  done.WaitForNotification();
  if (posted == Mailbox::PostResult::kFull) {
    return LimitReached("mailbox_commands", loop->mailbox().capacity(),
                        absl::StrCat("too many calls wait for worker ", index, ", try again"));
  }
  return result;
}

absl::StatusOr<std::unique_ptr<Worker>> Worker::Create(size_t index, const WorkerLimits& limits,
                                                       EngineKind engine, MediaPortPool& ports,
                                                       std::function<void()> wake,
                                                       PacketLogs* packet_logs) {
  absl::StatusOr<std::unique_ptr<WorkerLoop>> loop =
      WorkerLoop::Create(limits, engine, std::move(wake));
  if (!loop.ok()) return loop.status();
  auto state = std::make_unique<State>();
  state->index = index;
  state->ports = &ports;
  state->packet_logs = packet_logs;
  state->loop = *std::move(loop);

  // A thread begins with the mask of the one that makes it.
  const sigset_t blocked = SignalsForOthers();
  sigset_t before;
  SLUICE_CHECK(pthread_sigmask(SIG_BLOCK, &blocked, &before) == 0);
  state->thread = std::thread([&loop = *state->loop] { loop.Run(); });
  SLUICE_CHECK(pthread_sigmask(SIG_SETMASK, &before, nullptr) == 0);
  // For top and debuggers. Longer names are refused, and do without.
  (void)pthread_setname_np(state->thread.native_handle(), absl::StrCat("sluice-w", index).c_str());
  return absl::WrapUnique(new Worker(std::move(state)));
}

Worker::Worker(std::unique_ptr<State> state) : state_(std::move(state)) {}

Worker::~Worker() { Stop(); }

void Worker::Stop() {
  std::call_once(state_->stopped, [this] {
    state_->loop->RequestStop();
    state_->thread.join();
  });
}

size_t Worker::index() const { return state_->index; }

absl::StatusOr<SessionSnapshot> Worker::CreateSession(SessionSpec spec) {
  return state_->Call<SessionSnapshot>([&](WorkerLoop& loop) -> absl::StatusOr<SessionSnapshot> {
    const std::string id = spec.id;
    absl::Status status = loop.sessions().CreateSession(loop.now(), std::move(spec));
    if (!status.ok()) return status;
    return loop.sessions().GetSession(loop.now(), id);
  });
}

absl::StatusOr<SessionSnapshot> Worker::GetSession(absl::string_view session_id) {
  return state_->Call<SessionSnapshot>(
      [&](WorkerLoop& loop) { return loop.sessions().GetSession(loop.now(), session_id); });
}

absl::StatusOr<std::vector<SessionSnapshot>> Worker::GetSessions(
    std::vector<std::string> session_ids) {
  std::vector<SessionSnapshot> snapshots;
  absl::Span<const std::string> left = session_ids;
  while (!left.empty()) {
    const absl::Span<const std::string> some = left.subspan(0, kSnapshotsPerCommand);
    left.remove_prefix(some.size());
    const absl::StatusOr<size_t> found =
        state_->Call<size_t>([&](WorkerLoop& loop) -> absl::StatusOr<size_t> {
          for (const std::string& id : some) {
            absl::StatusOr<SessionSnapshot> one = loop.sessions().GetSession(loop.now(), id);
            if (one.ok()) snapshots.push_back(*std::move(one));
          }
          return snapshots.size();
        });
    if (!found.ok()) return found.status();
  }
  return snapshots;
}

absl::StatusOr<SessionSnapshot> Worker::UpdateSession(absl::string_view session_id,
                                                      SessionUpdate update) {
  return state_->Call<SessionSnapshot>([&](WorkerLoop& loop) -> absl::StatusOr<SessionSnapshot> {
    absl::Status status = loop.sessions().UpdateSession(loop.now(), session_id, update);
    if (!status.ok()) return status;
    return loop.sessions().GetSession(loop.now(), session_id);
  });
}

absl::StatusOr<SessionSnapshot> Worker::DeleteSession(absl::string_view session_id) {
  // Closed on the calling thread.
  std::vector<MediaSockets> sockets;
  return state_->Call<SessionSnapshot>([&](WorkerLoop& loop) -> absl::StatusOr<SessionSnapshot> {
    absl::StatusOr<EndedSession> ended = loop.sessions().DeleteSession(loop.now(), session_id);
    if (!ended.ok()) return ended.status();
    sockets = loop.sockets().Remove(ended->sockets);
    return std::move(ended->report);
  });
}

absl::StatusOr<LegSnapshot> Worker::AddLeg(absl::string_view session_id, LegSpec spec,
                                           IpFamily family) {
  absl::StatusOr<MediaSockets> bound = state_->ports->Bind(family, spec.rtcp_mux);
  if (!bound.ok()) return bound.status();
  if (spec.interceptors.packet_log.value_or(false)) {
    absl::StatusOr<PacketLogRing*> ring =
        OpenPacketLog(state_->packet_logs, session_id, spec, *bound);
    if (!ring.ok()) return ring.status();
    spec.packet_log = *ring;
  }
  PacketLogRing* const packet_log = spec.packet_log;
  std::vector<MediaSockets> unused;
  absl::StatusOr<LegSnapshot> added =
      state_->Call<LegSnapshot>([&](WorkerLoop& loop) -> absl::StatusOr<LegSnapshot> {
        const absl::StatusOr<LocalTransport> local = loop.sockets().Add(*std::move(bound));
        if (!local.ok()) return local.status();
        const std::string leg_id = spec.id;
        const absl::StatusOr<LegHandle> leg =
            loop.sessions().AddLeg(loop.now(), session_id, std::move(spec), *local);
        if (!leg.ok()) {
          unused = loop.sockets().Remove({local->rtp_socket});
          return leg.status();
        }
        loop.sockets().Assign(*local, *leg);
        return loop.sessions().GetLeg(loop.now(), session_id, leg_id);
      });
  if (!added.ok() && packet_log != nullptr) state_->packet_logs->Abandon(packet_log);
  return added;
}

absl::StatusOr<LegSnapshot> Worker::UpdateLeg(absl::string_view session_id,
                                              absl::string_view leg_id, LegUpdate update) {
  return state_->Call<LegSnapshot>([&](WorkerLoop& loop) -> absl::StatusOr<LegSnapshot> {
    absl::Status status =
        loop.sessions().UpdateLeg(loop.now(), session_id, leg_id, std::move(update));
    if (!status.ok()) return status;
    return loop.sessions().GetLeg(loop.now(), session_id, leg_id);
  });
}

absl::StatusOr<LegSnapshot> Worker::RemoveLeg(absl::string_view session_id,
                                              absl::string_view leg_id) {
  std::vector<MediaSockets> sockets;
  return state_->Call<LegSnapshot>([&](WorkerLoop& loop) -> absl::StatusOr<LegSnapshot> {
    absl::StatusOr<LegSnapshot> removed = loop.sessions().RemoveLeg(loop.now(), session_id, leg_id);
    if (!removed.ok()) return removed.status();
    sockets = loop.sockets().Remove({removed->local.rtp_socket});
    return removed;
  });
}

absl::StatusOr<SessionSnapshot> Worker::SetForwarding(absl::string_view session_id,
                                                      std::vector<ForwardingRule> rules) {
  return state_->Call<SessionSnapshot>([&](WorkerLoop& loop) -> absl::StatusOr<SessionSnapshot> {
    absl::Status status = loop.sessions().SetForwarding(session_id, rules);
    if (!status.ok()) return status;
    return loop.sessions().GetSession(loop.now(), session_id);
  });
}

absl::StatusOr<WorkerUsage> Worker::GetUsage() {
  return state_->Call<WorkerUsage>(
      [](WorkerLoop& loop) -> absl::StatusOr<WorkerUsage> { return loop.Usage(); });
}

std::vector<WorkerNotice> Worker::TakeNotices() { return state_->loop->TakeNotices(); }

uint64_t Worker::turns() const { return state_->loop->turns(); }

size_t Worker::session_count() const { return state_->loop->session_count(); }

}  // namespace sluice
