#include "quic/client/io/rpc_client_thread.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "quic/calls/rpc_client_connection.h"
#include "quic/calls/rpc_protocol.h"
#include "quic/client/io/server_addresses.h"
#include "quic/client/io/wake_descriptor.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/connection/quic_connection.h"
#include "quic/io/datagram_receiver.h"
#include "quic/io/datagram_socket.h"
#include "quic/io/monotonic_clock.h"
#include "quic/tls/tls_client_context.h"

namespace sluice {
namespace {

absl::StatusOr<DatagramSocket> OpenSocketTowards(const UdpAddress& server) {
  const absl::StatusOr<UdpAddress> local = LocalAddressTowards(server);
  if (!local.ok()) return local.status();
  return DatagramSocket::Open(*local);
}

// Certificates and tickets have dates.
int64_t UnixSecondsAtZero() {
  return static_cast<int64_t>(time(nullptr)) - (MonotonicNow() - Timestamp::Zero()).seconds();
}

template <typename Condition>
void AwaitThat(absl::Mutex& mutex, const Condition& condition)
    ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
  mutex.Await(absl::Condition(&condition));
}

}  // namespace

// ---- Streams. ----

RpcClientStream::~RpcClientStream() { client_.Forget(id_); }

bool RpcClientStream::Read(std::string& message) {
  const absl::MutexLock lock(&client_.mutex_);
  RpcClientThread::Waiter& waiter = client_.waiters_[id_];
  AwaitThat(client_.mutex_,
            [&waiter] { return !waiter.messages.empty() || waiter.end.has_value(); });
  if (waiter.messages.empty()) return false;
  message = std::move(waiter.messages.front());
  waiter.messages.pop_front();
  return true;
}

absl::Status RpcClientStream::status() const {
  const absl::MutexLock lock(&client_.mutex_);
  const std::optional<CallEnd>& end = client_.waiters_[id_].end;
  return end.has_value() ? end->status : absl::OkStatus();
}

void RpcClientStream::Cancel() { client_.CancelCall(id_); }

// ---- Begin and end. ----

absl::StatusOr<std::unique_ptr<RpcClientThread>> RpcClientThread::Start(RpcClientOptions options) {
  if (options.addresses.empty()) return absl::InvalidArgumentError("there is no server address");
  auto tls = TlsClientContext::Create({.protocols = {RpcClientProtocol()},
                                       .trusted_pem = options.trusted_pem,
                                       .trust_anyone = options.trust_anyone,
                                       .key_log = options.key_log});
  if (!tls.ok()) return tls.status();
  // An address of a family that this host does not have is passed over, if there is another one.
  absl::Status unreachable;
  std::vector<UdpAddress> reachable;
  std::vector<DatagramSocket> sockets;
  for (const UdpAddress& address : options.addresses) {
    absl::StatusOr<DatagramSocket> socket = OpenSocketTowards(address);
    if (socket.ok()) {
      reachable.push_back(address);
      sockets.push_back(*std::move(socket));
    } else {
      unreachable.Update(socket.status());
    }
  }
  if (sockets.empty()) return unreachable;
  options.addresses = std::move(reachable);
  if (options.server.empty()) options.server = FormatUdpAddress(options.addresses.front());
  auto wake = WakeDescriptor::Create();
  if (!wake.ok()) return wake.status();
  std::unique_ptr<RpcClientThread> client(new RpcClientThread(
      std::move(options), *std::move(tls), std::move(sockets), *std::move(wake)));

  // Signals are for the main thread; a thread begins with the mask of the one that makes it.
  sigset_t blocked;
  sigset_t before;
  sigfillset(&blocked);
  SLUICE_CHECK(pthread_sigmask(SIG_BLOCK, &blocked, &before) == 0);
  client->thread_ = std::thread([raw = client.get()] { raw->Run(); });
  SLUICE_CHECK(pthread_sigmask(SIG_SETMASK, &before, nullptr) == 0);
  return client;
}

RpcClientThread::RpcClientThread(RpcClientOptions options, std::unique_ptr<TlsClientContext> tls,
                                 std::vector<DatagramSocket> sockets,
                                 std::unique_ptr<WakeDescriptor> wake)
    : options_(std::move(options)),
      tls_(std::move(tls)),
      wake_(std::move(wake)),
      sockets_(std::move(sockets)) {
  ClientSessionOptions session = {.paths = {},
                                  .server_name = options_.server_name,
                                  .server = options_.server,
                                  .memory = {},
                                  .unix_seconds_at_zero = UnixSecondsAtZero(),
                                  .handshake_timeout = options_.handshake_timeout,
                                  .next_address_after = options_.next_address_after};
  for (size_t i = 0; i < sockets_.size(); ++i) {
    session.paths.push_back({sockets_[i].local_address(), options_.addresses[i]});
  }
  if (options_.tickets != nullptr) session.memory = options_.tickets->Take(options_.server_name);
  ClientSessionEvents& events = *this;
  session_ = std::make_unique<ClientSession>(std::move(session), *tls_, random_, events);
}

RpcClientThread::~RpcClientThread() {
  Close();
  // Before the context of TLS.
  session_.reset();
}

void RpcClientThread::Close() {
  {
    const absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  wake_->Wake();
  const absl::MutexLock lock(&join_mutex_);
  if (thread_.joinable()) thread_.join();
}

// ---- Any thread. ----

void RpcClientThread::Post(Command command) {
  {
    const absl::MutexLock lock(&mutex_);
    if (ended_.has_value()) return;
    commands_.push_back(std::move(command));
  }
  wake_->Wake();
}

absl::Status RpcClientThread::AwaitConnected() {
  Post([this](Timestamp) { begun_ = true; });
  const absl::MutexLock lock(&mutex_);
  AwaitThat(mutex_, [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    return report_.handshake.has_value() || ended_.has_value();
  });
  return ended_.has_value() ? *ended_ : absl::OkStatus();
}

ClientCallId RpcClientThread::Begin(ClientRequest request) {
  ClientCallId id;
  {
    const absl::MutexLock lock(&mutex_);
    id = ++last_id_;
    Waiter& waiter = waiters_[id];
    if (ended_.has_value()) {
      waiter.end = CallEnd{.status = *ended_, .took = {}};
      return id;
    }
  }
  Post([this, id, request = std::move(request)](Timestamp now) mutable {
    begun_ = true;
    session_->Call(now, id, std::move(request));
  });
  return id;
}

RpcAnswer RpcClientThread::Call(ClientRequest request) {
  const std::string method = request.method;
  const ClientCallId id = Begin(std::move(request));
  const absl::MutexLock lock(&mutex_);
  Waiter& waiter = waiters_[id];
  AwaitThat(mutex_, [&waiter] { return waiter.end.has_value(); });
  RpcAnswer answer{.status = waiter.end->status, .took = waiter.end->took};
  if (answer.status.ok() && waiter.messages.size() != 1) {
    answer.status =
        absl::InternalError(absl::StrCat(options_.server, " answered ", method, " with ",
                                         waiter.messages.size(), " messages instead of one"));
  }
  if (answer.status.ok()) answer.message = std::move(waiter.messages.front());
  waiters_.erase(id);
  return answer;
}

std::unique_ptr<RpcClientStream> RpcClientThread::Stream(ClientRequest request) {
  const ClientCallId id = Begin(std::move(request));
  return std::unique_ptr<RpcClientStream>(new RpcClientStream(*this, id));
}

void RpcClientThread::CancelCall(ClientCallId id) {
  {
    const absl::MutexLock lock(&mutex_);
    Waiter& waiter = waiters_[id];
    if (waiter.end.has_value()) return;
    waiter.end = CallEnd{.status = absl::CancelledError("the call was given up"), .took = {}};
  }
  Post([this, id](Timestamp) { session_->Cancel(id); });
}

void RpcClientThread::Forget(ClientCallId id) {
  CancelCall(id);
  const absl::MutexLock lock(&mutex_);
  waiters_.erase(id);
}

absl::Status RpcClientThread::Migrate() {
  std::optional<absl::Status> moved;
  Post([this, &moved](Timestamp now) {
    absl::Status status = Move(now);
    const absl::MutexLock lock(&mutex_);
    moved = std::move(status);
  });
  const absl::MutexLock lock(&mutex_);
  AwaitThat(mutex_, [this, &moved]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    return moved.has_value() || ended_.has_value();
  });
  return moved.has_value() ? *moved : *ended_;
}

RpcClientReport RpcClientThread::report() const {
  const absl::MutexLock lock(&mutex_);
  return report_;
}

// ---- The client's thread. ----

void RpcClientThread::Run() {
  Timestamp now = MonotonicNow();
  bool stopping = false;
  while (!session_->end().has_value()) {
    if (!stopping) Wait(now);
    now = MonotonicNow();
    RunCommands(now);
    Receive(now);
    if (session_->NextTimeout() <= now) session_->HandleTimeout(now, out_);
    if (begun_) session_->Flush(now, out_);
    {
      const absl::MutexLock lock(&mutex_);
      stopping = stopping_;
    }
    if (stopping) session_->Close(now, out_);
    SendAll();
    Publish();
  }
  // Commands that did not run may refer to who waits, who goes when it is told.
  std::vector<Command> forgotten;
  const absl::MutexLock lock(&mutex_);
  forgotten.swap(commands_);
  ended_ = *session_->end();
  for (auto& [id, waiter] : waiters_) {
    if (!waiter.end.has_value()) waiter.end = CallEnd{.status = *ended_, .took = {}};
  }
}

void RpcClientThread::Wait(Timestamp now) {
  std::vector<pollfd> waiting = {{.fd = wake_->fd(), .events = POLLIN, .revents = 0}};
  for (const DatagramSocket& socket : sockets_) {
    waiting.push_back({.fd = socket.fd(), .events = POLLIN, .revents = 0});
  }
  const Timestamp due = session_->NextTimeout();
  if (due == Timestamp::PlusInfinity()) {
    static_cast<void>(ppoll(waiting.data(), waiting.size(), nullptr, nullptr));
  } else {
    const int64_t us = std::max(due - now, TimeDelta::Zero()).us();
    const timespec timeout{.tv_sec = us / 1'000'000, .tv_nsec = us % 1'000'000 * 1'000};
    static_cast<void>(ppoll(waiting.data(), waiting.size(), &timeout, nullptr));
  }
  wake_->Clear();
}

void RpcClientThread::RunCommands(Timestamp now) {
  std::vector<Command> commands;
  {
    const absl::MutexLock lock(&mutex_);
    commands.swap(commands_);
  }
  for (Command& command : commands) std::move(command)(now);
}

void RpcClientThread::Receive(Timestamp now) {
  for (const DatagramSocket& socket : sockets_) {
    for (const DatagramReceiver::Received& datagram : receiver_.Receive(socket)) {
      session_->HandleDatagram(now, datagram.path, datagram.ecn, datagram.bytes, out_);
      if (out_.datagrams().size() >= kOutboxDatagrams / 2) SendAll();
    }
  }
}

void RpcClientThread::SendAll() {
  absl::Span<const DatagramOutbox::Datagram> left = out_.datagrams();
  while (!left.empty()) {
    const UdpAddress local = left.front().path.local;
    size_t run = 1;
    while (run < left.size() && left[run].path.local == local) ++run;
    const auto socket = std::find_if(
        sockets_.begin(), sockets_.end(),
        [&](const DatagramSocket& candidate) { return candidate.local_address() == local; });
    // Else it was left by a move; what is lost on the old path is sent again on the new one.
    if (socket != sockets_.end()) sender_.Send(*socket, left.first(run));
    left.remove_prefix(run);
  }
  out_.Clear();
}

void RpcClientThread::Publish() {
  const absl::MutexLock lock(&mutex_);
  report_.connected = session_->connected();
  report_.server = session_->path().remote;
  report_.handshake = session_->handshake();
  report_.round_trips = session_->round_trips().count();
  report_.retries = session_->retries();
  if (session_->connection() == nullptr) return;
  const QuicConnection& connection = session_->connection()->connection();
  report_.protocol = std::string(connection.protocol());
  report_.quic_version = connection.version().value();
  report_.datagrams_sent = connection.counters().datagrams_sent;
  report_.datagrams_received = connection.counters().datagrams_received;
  report_.resumed = connection.resumed();
  report_.early_data_accepted = connection.early_data_accepted();
}

absl::Status RpcClientThread::Move(Timestamp now) {
  if (!session_->connected()) return absl::FailedPreconditionError("there is no connection yet");
  const UdpPath before = session_->connection()->connection().path();
  absl::StatusOr<DatagramSocket> socket = OpenSocketTowards(before.remote);
  if (!socket.ok()) return socket.status();
  if (!session_->Migrate(now, {socket->local_address(), before.remote})) {
    return absl::FailedPreconditionError(
        "the server does not allow a move now, or the last one is not done");
  }
  // The one before may still be told something; older ones not.
  std::vector<DatagramSocket> kept;
  for (DatagramSocket& old : sockets_) {
    if (old.local_address() == before.local) kept.push_back(std::move(old));
  }
  kept.push_back(*std::move(socket));
  sockets_ = std::move(kept);
  return absl::OkStatus();
}

// ---- What the session tells. ----

void RpcClientThread::OnMessage(ClientCallId id, absl::Span<const uint8_t> message) {
  {
    const absl::MutexLock lock(&mutex_);
    const auto found = waiters_.find(id);
    if (found == waiters_.end() || found->second.end.has_value()) return;
    Waiter& waiter = found->second;
    if (waiter.messages.size() < RpcClientStream::kMaxWaiting) {
      waiter.messages.emplace_back(message.begin(), message.end());
      return;
    }
    waiter.end = CallEnd{.status = absl::ResourceExhaustedError(
                             absl::StrCat("more than ", RpcClientStream::kMaxWaiting,
                                          " messages were not read; the call was given up")),
                         .took = {}};
  }
  session_->Cancel(id);
}

void RpcClientThread::OnCallEnd(ClientCallId id, const CallEnd& end) {
  // Whoever hears of the end may ask for the report at once.
  Publish();
  const absl::MutexLock lock(&mutex_);
  const auto found = waiters_.find(id);
  if (found != waiters_.end() && !found->second.end.has_value()) found->second.end = end;
}

void RpcClientThread::OnTicket(absl::Span<const uint8_t> ticket,
                               absl::Span<const uint8_t> remembered_parameters) {
  if (options_.tickets == nullptr) return;
  options_.tickets->PutTicket(options_.server_name, {ticket.begin(), ticket.end()},
                              {remembered_parameters.begin(), remembered_parameters.end()});
}

void RpcClientThread::OnToken(absl::Span<const uint8_t> token) {
  if (options_.tickets == nullptr) return;
  options_.tickets->PutToken(options_.server_name, {token.begin(), token.end()});
}

}  // namespace sluice
