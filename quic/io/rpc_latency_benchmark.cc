// Calls over `sluice/1` to a listener on loopback, which answers each with its message of 100 bytes
// on its own thread; one other thread has all clients, one socket, and an address for each client.
//
//   calls/<connections>/<outstanding>   so many connections, all of which are made before; calls
//                                       go round all of them, so many at a time. Time is wall time
//                                       per call; p50_us and p99_us are from Start to the status.
//   idle_memory/<connections>           bytes of the heap for a connection that has made calls and
//                                       makes none now: of the server, and of the client. What both
//                                       make at their start is not in it.

#include <malloc.h>
#include <poll.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "base/check.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "benchmark/benchmark.h"
#include "quic/calls/rpc_client_connection.h"
#include "quic/calls/rpc_protocol.h"
#include "quic/calls/rpc_protocol_server.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/connection/quic_connection.h"
#include "quic/connection/send_stream.h"
#include "quic/connection/udp_path.h"
#include "quic/io/datagram_receiver.h"
#include "quic/io/datagram_sender.h"
#include "quic/io/datagram_socket.h"
#include "quic/io/monotonic_clock.h"
#include "quic/io/udp_listener.h"
#include "quic/rpc/rpc_buffer_pool.h"
#include "quic/rpc/rpc_client_events.h"
#include "quic/rpc/rpc_limits.h"
#include "quic/rpc/rpc_service.h"
#include "quic/rpc/rpc_status.h"
#include "quic/rpc/rpc_streams.h"
#include "quic/server/deadline_queue.h"
#include "quic/server/endpoint_limits.h"
#include "quic/server/served_connections.h"
#include "quic/server/stateless_reset.h"
#include "quic/tls/application_protocols.h"
#include "quic/tls/certificate_chain.h"
#include "quic/tls/testing/test_certificates.h"
#include "quic/tls/tls_client_context.h"
#include "quic/tls/tls_server_context.h"

namespace sluice {
namespace {

constexpr size_t kMessageSize = 100;
// Idle connections stay for as long as the slowest machine takes.
constexpr TimeDelta kMaxIdle = TimeDelta::Minutes(30);
// So many at a time, or the kernel's buffers overflow.
constexpr size_t kHandshakes = 16;
// Of the clients, who are all on one thread.
constexpr size_t kOutboxDatagrams = 256;
constexpr size_t kBuffers = 256;
constexpr UdpAddress kAnyPort = UdpAddress::V4({0, 0, 0, 0}, 0);

// Nobody is turned away who comes from this host.
EndpointLimits Open() {
  EndpointLimits limits;
  limits.max_connections_per_source = limits.max_connections;
  limits.retry_above_half_open = limits.max_half_open;
  limits.retry_above_half_open_per_source = limits.max_half_open;
  return limits;
}

ApplicationProtocol Patient(ApplicationProtocol protocol) {
  protocol.parameters.max_idle_timeout = kMaxIdle;
  return protocol;
}

size_t HeapInUse() { return mallinfo2().uordblks; }

class EchoService : public RpcService {
 public:
  void OnCall(Timestamp now, const RpcCall& call, const RpcRequest& request) override {
    SLUICE_CHECK(call.Send(now, request.message) == RpcSendVerdict::kSent);
    call.Finish(now, RpcCode::kOk, "");
  }
};

// A client that has at most one call.
class Caller : public RpcClientConnectionEvents {
 public:
  void OnConnected() override { connected = true; }
  void OnMessage(RpcStreamId, absl::Span<const uint8_t> message) override {
    SLUICE_CHECK(message.size() == kMessageSize);
  }
  void OnStatus(RpcStreamId, const RpcStatus& status) override {
    SLUICE_CHECK(status.code == 0);
    answered = true;
  }
  void OnFailure(RpcStreamId, const RpcFailure& failure) override {
    SLUICE_CHECK(false) << "a call failed, cause " << static_cast<int>(failure.cause);
  }

  bool connected = false;
  bool answered = false;
  Timestamp asked = Timestamp::Zero();
  std::unique_ptr<RpcClientConnection> connection;
};

// The listener, and `count` clients whose handshakes are done.
class World {
 public:
  explicit World(size_t count);
  ~World();

  size_t size() const { return callers_.size(); }
  // One datagram or more, or a timeout; and all that follows from it.
  void Pump();
  void Call(size_t index);
  // Those that were answered since the last Take, in any order.
  std::vector<uint32_t> Take() { return std::exchange(answered_, {}); }
  Caller& caller(size_t index) { return callers_[index]; }

  // Bytes per connection, of the server and of the client. All clients are gone after it.
  std::pair<double, double> Measure();

 private:
  void Connect(size_t index);
  UdpAddress AddressOf(size_t index) const {
    return UdpAddress::V4({127, 1, static_cast<uint8_t>(index >> 8), static_cast<uint8_t>(index)},
                          socket_.local_address().port());
  }
  // After anything happened to it.
  void Settle(size_t index);
  void Send();

  SeededRandom random_{90};
  SeededRandom server_random_{91};
  TestCertificate root_ = MakeTestRoot();
  TestCertificate leaf_ = MakeTestCertificate(root_);
  const std::array<uint8_t, kMessageSize> message_{};

  // The server.
  Timestamp server_now_ = Timestamp::Zero();
  EchoService service_;
  RpcBufferPool server_buffers_{kBuffers};
  RpcProtocolServer protocol_{server_now_, service_, server_buffers_, RpcLimits()};
  std::unique_ptr<ServedConnections> served_;
  std::unique_ptr<TlsServerContext> server_tls_;
  std::unique_ptr<UdpListener> listener_;

  // The clients.
  std::unique_ptr<TlsClientContext> client_tls_;
  DatagramSocket socket_;
  DatagramReceiver receiver_;
  DatagramSender sender_{true};
  DatagramOutbox out_{kOutboxDatagrams};
  RpcBufferPool buffers_{kBuffers};
  SendStreamPool streams_{4096, 8192};
  DeadlineQueue deadlines_;
  std::vector<Caller> callers_;
  std::vector<uint32_t> answered_;
  size_t heap_before_ = 0;
};

World::World(size_t count)
    : socket_(*DatagramSocket::Open(kAnyPort)), deadlines_(count), callers_(count) {
  server_tls_ =
      *TlsServerContext::Create({.protocols = {Patient(RpcServerProtocol(RpcLimits()))}},
                                *CertificateChain::FromPem(leaf_.certificate, leaf_.private_key),
                                MonotonicNow(), server_random_);
  client_tls_ = *TlsClientContext::Create(
      {.protocols = {Patient(RpcClientProtocol())}, .trusted_pem = root_.certificate});
  const EndpointLimits limits = Open();
  served_ = std::make_unique<ServedConnections>(
      ServedConnections::Options{.capacity = limits.max_connections, .protocols = {&protocol_}},
      server_now_);
  listener_ = *UdpListener::Start(
      {.address = UdpAddress::V4({127, 0, 0, 1}, 0), .endpoint = {.limits = limits}},
      StatelessReset::Secret(), *server_tls_, *served_, server_random_);
  heap_before_ = HeapInUse();
  size_t begun = 0;
  const auto ready = [this](size_t index) { return callers_[index].connected; };
  for (size_t done = 0; done < count;) {
    for (; begun < std::min(done + kHandshakes, count); ++begun) Connect(begun);
    Pump();
    while (done < count && done < begun && ready(done)) ++done;
  }
  // What is still to be said of handshakes is.
  for (size_t i = 0; i < count; ++i) {
    Call(i);
    while (!callers_[i].answered) Pump();
  }
  answered_.clear();
}

World::~World() { callers_.clear(); }

void World::Connect(size_t index) {
  Caller& caller = callers_[index];
  const Timestamp now = MonotonicNow();
  caller.connection = *RpcClientConnection::Connect(
      now, {AddressOf(index), listener_->local_address()}, {.server_name = "sluice.test"},
      *client_tls_, {caller, buffers_, streams_, random_});
  caller.connection->Flush(now, out_);
  Settle(index);
  Send();
}

void World::Call(size_t index) {
  Caller& caller = callers_[index];
  caller.answered = false;
  caller.asked = MonotonicNow();
  SLUICE_CHECK(
      caller.connection
          ->Start(caller.asked, {.method = "Echo", .token = {}}, message_, RpcReplay::kHarmful)
          .ok());
  caller.connection->Flush(caller.asked, out_);
  Settle(index);
  Send();
}

void World::Settle(size_t index) {
  Caller& caller = callers_[index];
  SLUICE_CHECK(!caller.connection->end().has_value());
  deadlines_.Set(static_cast<uint32_t>(index), caller.connection->NextTimeout());
  if (out_.datagrams().size() >= kOutboxDatagrams / 2) Send();
}

void World::Send() {
  sender_.Send(socket_, out_.datagrams());
  out_.Clear();
}

void World::Pump() {
  pollfd waiting = {.fd = socket_.fd(), .events = POLLIN, .revents = 0};
  const int64_t us = std::max(deadlines_.Next() - MonotonicNow(), TimeDelta::Zero()).us();
  const timespec timeout{.tv_sec = us / 1'000'000, .tv_nsec = us % 1'000'000 * 1'000};
  const bool endless = deadlines_.Next() == Timestamp::PlusInfinity();
  static_cast<void>(ppoll(&waiting, 1, endless ? nullptr : &timeout, nullptr));
  const Timestamp now = MonotonicNow();
  for (const auto& datagram : receiver_.Receive(socket_)) {
    const absl::Span<const uint8_t> ip = datagram.path.local.ip();
    const size_t index = size_t{ip[2]} << 8 | ip[3];
    Caller& caller = callers_[index];
    const bool before = caller.answered;
    caller.connection->HandleDatagram(now, datagram.path, datagram.ecn, datagram.bytes, out_);
    if (caller.answered && !before) answered_.push_back(static_cast<uint32_t>(index));
    Settle(index);
  }
  while (deadlines_.Next() <= now) {
    const uint32_t index = deadlines_.First();
    callers_[index].connection->HandleTimeout(now, out_);
    Settle(index);
    // Pacing may ask for less than the clock shows.
    const Timestamp next = callers_[index].connection->NextTimeout();
    deadlines_.Set(index, std::max(next, now + TimeDelta::Micros(1)));
  }
  Send();
}

std::pair<double, double> World::Measure() {
  // Until nobody waits for an acknowledgement.
  const Timestamp quiet = MonotonicNow() + TimeDelta::Millis(200);
  while (deadlines_.Next() < quiet) Pump();
  const auto count = static_cast<double>(size());
  const size_t all = HeapInUse();
  for (Caller& caller : callers_) caller.connection.reset();
  const size_t server = HeapInUse();
  listener_->Stop(TimeDelta::Zero());
  return {static_cast<double>(server - heap_before_) / count,
          static_cast<double>(all - server) / count};
}

// The last one is kept: to make it takes longer than to measure it.
std::unique_ptr<World>& LastWorld() {
  static std::unique_ptr<World> world;
  return world;
}

World& WorldOf(size_t connections) {
  std::unique_ptr<World>& world = LastWorld();
  if (world == nullptr || world->size() != connections) {
    world.reset();
    world = std::make_unique<World>(connections);
  }
  return *world;
}

void Calls(benchmark::State& state) {
  World& world = WorldOf(static_cast<size_t>(state.range(0)));
  std::vector<int64_t> took;
  took.reserve(static_cast<size_t>(state.max_iterations) + 1000);
  size_t next = 0;
  const auto call = [&] { world.Call(next++ % world.size()); };
  for (int64_t i = 1; i < state.range(1); ++i) call();
  std::vector<uint32_t> answered;
  for (auto _ : state) {
    call();
    while (answered.empty()) {
      world.Pump();
      answered = world.Take();
      const Timestamp now = MonotonicNow();
      for (const uint32_t index : answered) took.push_back((now - world.caller(index).asked).us());
    }
    answered.pop_back();
  }
  // The rest.
  for (size_t left = static_cast<size_t>(state.range(1)) - 1 - answered.size(); left > 0;) {
    world.Pump();
    left -= world.Take().size();
  }
  std::sort(took.begin(), took.end());
  const auto quantile = [&](size_t percent) {
    return static_cast<double>(took[(took.size() - 1) * percent / 100]);
  };
  state.counters["p50_us"] = quantile(50);
  state.counters["p99_us"] = quantile(99);
  state.counters["calls_per_s"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void IdleMemory(benchmark::State& state) {
  World& world = WorldOf(static_cast<size_t>(state.range(0)));
  for (auto _ : state) {
    const auto [server, client] = world.Measure();
    state.counters["server_bytes"] = server;
    state.counters["client_bytes"] = client;
  }
  LastWorld().reset();
}

// Few enough that a smoke test is short, many enough for a quantile of a hundredth.
constexpr int64_t kCalls = 20'000;

BENCHMARK(Calls)
    ->Name("calls")
    ->ArgNames({"connections", "outstanding"})
    ->Args({1, 1})
    ->Args({100, 1})
    ->Args({100, 50})
    ->Args({5000, 1})
    ->Args({5000, 50})
    ->Iterations(kCalls)
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);

BENCHMARK(IdleMemory)
    ->Name("idle_memory")
    ->ArgName("connections")
    ->Arg(5000)
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sluice
