#include "quic/io/udp_listener.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "base/check.h"
#include "base/random_source.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "quic/io/command_queue.h"
#include "quic/io/datagram_socket.h"
#include "quic/io/monotonic_clock.h"
#include "quic/server/quic_endpoint.h"
#include "quic/server/stateless_reset.h"
#include "quic/tls/tls_server_context.h"

namespace sluice {

absl::StatusOr<std::unique_ptr<UdpListener>> UdpListener::Start(const ListenerOptions& options,
                                                                StatelessReset::Secret reset_secret,
                                                                TlsServerContext& tls,
                                                                ListenerApplication& application,
                                                                RandomSource& random) {
  auto socket = DatagramSocket::Open(options.address);
  if (!socket.ok()) return socket.status();
  auto commands = CommandQueue::Create();
  if (!commands.ok()) return commands.status();
  auto endpoint = QuicEndpoint::Create(MonotonicNow(), options.endpoint, std::move(reset_secret),
                                       tls, application, random);
  if (!endpoint.ok()) return endpoint.status();
  std::unique_ptr<UdpListener> listener(new UdpListener(*std::move(socket), *std::move(commands),
                                                        *std::move(endpoint), application,
                                                        options.segmentation));

  // Signals are for the main thread; a thread begins with the mask of the one that makes it.
  sigset_t blocked;
  sigset_t before;
  sigfillset(&blocked);
  SLUICE_CHECK(pthread_sigmask(SIG_BLOCK, &blocked, &before) == 0);
  listener->thread_ = std::thread([raw = listener.get()] { raw->Run(); });
  SLUICE_CHECK(pthread_sigmask(SIG_SETMASK, &before, nullptr) == 0);
  static_cast<void>(pthread_setname_np(listener->thread_.native_handle(), "sluice-quic"));
  return listener;
}

UdpListener::UdpListener(DatagramSocket socket, std::unique_ptr<CommandQueue> commands,
                         std::unique_ptr<QuicEndpoint> endpoint, ListenerApplication& application,
                         bool segmentation)
    : socket_(std::move(socket)),
      commands_(std::move(commands)),
      endpoint_(std::move(endpoint)),
      application_(application),
      sender_(segmentation) {}

UdpListener::~UdpListener() { Stop(TimeDelta::Zero()); }

ListenerCounters UdpListener::counters() const {
  ListenerCounters counters;
  {
    const absl::MutexLock lock(&mutex_);
    counters = counters_;
  }
  counters.commands_refused = commands_->refused();
  return counters;
}

void UdpListener::StopAccepting() {
  stop_accepting_ = true;
  commands_->Wake();
}

void UdpListener::Stop(TimeDelta drain) {
  if (!thread_.joinable()) return;
  stop_after_us_ = std::max(drain, TimeDelta::Zero()).us();
  StopAccepting();
  thread_.join();
  commands_->Close();
  endpoint_.reset();
}

// ---- The listener's thread. ----

void UdpListener::Run() {
  Timestamp now = MonotonicNow();
  while (phase_ != Phase::kOver) {
    const bool readable = Wait(now);
    now = MonotonicNow();
    Turn(now, readable);
  }
}

void UdpListener::Turn(Timestamp now, bool readable) {
  application_.BeginTurn(now);
  if (stop_accepting_) endpoint_->StopAccepting();
  RunCommands(now);
  if (readable) Receive(now);
  if (endpoint_->NextTimeout() <= now) endpoint_->HandleTimeouts(now, out_);
  BeginStop(now);
  // So that there is room for what the application has to say.
  if (out_.datagrams().size() >= kSendAbove) SendAll();
  application_.EndTurn({now, *endpoint_, out_});
  GoOnStopping(now);
  SendAll();
  Publish();
}

bool UdpListener::Wait(Timestamp now) {
  pollfd waiting[] = {{.fd = socket_.fd(), .events = POLLIN, .revents = 0},
                      {.fd = commands_->fd(), .events = POLLIN, .revents = 0}};
  const Timestamp due = std::min({endpoint_->NextTimeout(), application_.NextTimeout(), deadline_});
  if (due == Timestamp::PlusInfinity()) {
    static_cast<void>(ppoll(waiting, 2, nullptr, nullptr));
  } else {
    const int64_t us = std::max(due - now, TimeDelta::Zero()).us();
    const timespec timeout{.tv_sec = us / 1'000'000, .tv_nsec = us % 1'000'000 * 1'000};
    static_cast<void>(ppoll(waiting, 2, &timeout, nullptr));
  }
  // An error of the socket is taken off it by receiving.
  return waiting[0].revents != 0;
}

void UdpListener::RunCommands(Timestamp now) {
  ListenerTurn turn{now, *endpoint_, out_};
  for (ListenerCommand& command : commands_->TakeAll()) {
    std::move(command)(turn);
    ++commands_run_;
    if (out_.datagrams().size() >= kSendAbove) SendAll();
  }
}

void UdpListener::Receive(Timestamp now) {
  for (const DatagramReceiver::Received& datagram : receiver_.Receive(socket_)) {
    // One for another thread is counted by the endpoint; there is none to give it to.
    static_cast<void>(
        endpoint_->HandleDatagram(now, datagram.path, datagram.ecn, datagram.bytes, out_));
    if (out_.datagrams().size() >= kSendAbove) SendAll();
  }
}

void UdpListener::BeginStop(Timestamp now) {
  const int64_t stop_after_us = stop_after_us_;
  if (phase_ != Phase::kServing || stop_after_us == kNoStop) return;
  endpoint_->StopAccepting();
  application_.Drain();
  deadline_ = now + TimeDelta::Micros(stop_after_us);
  phase_ = Phase::kDraining;
}

void UdpListener::GoOnStopping(Timestamp now) {
  if (phase_ == Phase::kDraining && (endpoint_->connections() == 0 || now >= deadline_)) {
    // Each call closes at least one as long as there is room.
    while (!application_.CloseSome({now, *endpoint_, out_})) SendAll();
    while (!endpoint_->CloseSome(now, kHandshakeCode, out_)) SendAll();
    deadline_ = now + kFarewellTime;
    phase_ = Phase::kFarewell;
  }
  if (phase_ == Phase::kFarewell && (endpoint_->connections() == 0 || now >= deadline_)) {
    phase_ = Phase::kOver;
  }
}

void UdpListener::SendAll() {
  sender_.Send(socket_, out_.datagrams());
  out_.Clear();
}

void UdpListener::Publish() {
  const absl::MutexLock lock(&mutex_);
  counters_.receive = receiver_.counters();
  counters_.send = sender_.counters();
  counters_.verdicts = endpoint_->counters();
  counters_.commands = commands_run_;
  counters_.outbox_full = out_.times_full();
  counters_.connections = endpoint_->connections();
  counters_.half_open = endpoint_->half_open();
}

}  // namespace sluice
