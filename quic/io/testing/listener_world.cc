#include "quic/io/testing/listener_world.h"

#include <poll.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/data_size.h"
#include "base/random_source.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "quic/connection/close_reason.h"
#include "quic/connection/connection_handler.h"
#include "quic/connection/quic_connection.h"
#include "quic/connection/udp_path.h"
#include "quic/io/datagram_receiver.h"
#include "quic/io/datagram_socket.h"
#include "quic/io/monotonic_clock.h"
#include "quic/io/udp_listener.h"
#include "quic/server/served_connection.h"
#include "quic/server/served_connections.h"
#include "quic/server/stateless_reset.h"
#include "quic/tls/application_protocols.h"
#include "quic/tls/certificate_chain.h"
#include "quic/tls/testing/test_certificates.h"
#include "quic/tls/tls_client_context.h"
#include "quic/tls/tls_server_context.h"

namespace sluice {
namespace {

// Long after anything that is going to happen has happened, also under sanitizers.
constexpr TimeDelta kPatience = TimeDelta::Seconds(40);

ApplicationProtocol EchoProtocol() {
  ApplicationProtocol protocol{.name = "echo"};
  protocol.parameters.max_idle_timeout = TimeDelta::Seconds(30);
  protocol.parameters.initial_max_data = DataSize::Bytes(256 * 1024);
  protocol.parameters.initial_max_stream_data_bidi_local = DataSize::Bytes(64 * 1024);
  protocol.parameters.initial_max_stream_data_bidi_remote = DataSize::Bytes(64 * 1024);
  protocol.parameters.initial_max_streams_bidi = 8;
  protocol.parameters.active_connection_id_limit = 4;
  return protocol;
}

UdpAddress AnyPort(const UdpAddress& server) {
  if (!server.is_v6()) return UdpAddress::V4({127, 0, 0, 1}, 0);
  return UdpAddress::V6({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 0);
}

}  // namespace

class ListenerWorld::Echo : public ServedConnection {
 public:
  Echo(EchoServer& server, QuicConnection& connection);
  ~Echo() override;

  void OnStreamData(StreamId id, absl::Span<const uint8_t> data, bool fin, bool) override;
  void OnWritable(StreamId id) override { Pump(id); }
  void OnStreamClosed(StreamId id) override { streams_.erase(id); }
  void OnClosed(const CloseReason&) override { connection_ = nullptr; }

  void HandleTimeout(Timestamp /*now*/) override {}
  Timestamp NextTimeout() const override { return Timestamp::PlusInfinity(); }
  bool TakeUnsent() override { return std::exchange(unsent_, false); }
  void Drain() override { draining_ = true; }
  bool drained() const override { return draining_ && streams_.empty(); }
  QuicConnection* connection() const override { return connection_; }

  // Outside of events.
  void PumpAll();

 private:
  struct Stream {
    std::vector<uint8_t> waiting;
    bool fin = false;
  };

  void Pump(StreamId id);

  EchoServer& server_;
  QuicConnection* connection_;
  std::map<StreamId, Stream> streams_;
  bool unsent_ = false;
  bool draining_ = false;
};

class ListenerWorld::EchoServer : public ConnectionProtocol {
 public:
  EchoServer(const std::atomic<bool>& held, std::atomic<size_t>& bytes_held)
      : held_(held), bytes_held_(bytes_held) {}

  absl::string_view name() const override { return "echo"; }
  uint64_t no_error() const override { return kNoError; }
  std::unique_ptr<ServedConnection> Serve(QuicConnection& connection) override {
    return std::make_unique<Echo>(*this, connection);
  }

  // Whether `size` bytes are to be kept.
  bool Holds(size_t size) {
    if (!held_) return false;
    bytes_held_ += size;
    return true;
  }
  std::set<Echo*>& echoes() { return echoes_; }

 private:
  const std::atomic<bool>& held_;
  std::atomic<size_t>& bytes_held_;
  std::set<Echo*> echoes_;
};

ListenerWorld::Echo::Echo(EchoServer& server, QuicConnection& connection)
    : server_(server), connection_(&connection) {
  server_.echoes().insert(this);
}

ListenerWorld::Echo::~Echo() { server_.echoes().erase(this); }

void ListenerWorld::Echo::OnStreamData(StreamId id, absl::Span<const uint8_t> data, bool fin,
                                       bool) {
  Stream& stream = streams_[id];
  stream.waiting.insert(stream.waiting.end(), data.begin(), data.end());
  stream.fin = stream.fin || fin;
  if (!server_.Holds(data.size())) Pump(id);
}

void ListenerWorld::Echo::Pump(StreamId id) {
  Stream& stream = streams_[id];
  const size_t written = connection_->Write(id, stream.waiting, stream.fin);
  connection_->Consume(id, written);
  stream.waiting.erase(stream.waiting.begin(),
                       stream.waiting.begin() + static_cast<ptrdiff_t>(written));
}

void ListenerWorld::Echo::PumpAll() {
  for (auto& [id, stream] : streams_) {
    if (stream.waiting.empty() || connection_ == nullptr) continue;
    Pump(id);
    unsent_ = true;
    Touch();
  }
}

ListenerWorld::ListenerWorld(const ListenerOptions& options)
    : random(SeededRandom::SeedFromEnvOr(90)), server_random_(random.seed() + 1) {
  server_tls_ =
      *TlsServerContext::Create({.protocols = {EchoProtocol()}},
                                *CertificateChain::FromPem(leaf_.certificate, leaf_.private_key),
                                MonotonicNow(), server_random_);
  client_tls_ =
      *TlsClientContext::Create({.protocols = {EchoProtocol()}, .trusted_pem = root_.certificate});
  echo_server_ = std::make_unique<EchoServer>(held_, bytes_held_);
  served_ = std::make_unique<ServedConnections>(
      ServedConnections::Options{.capacity = options.endpoint.limits.max_connections,
                                 .protocols = {echo_server_.get()},
                                 .works = {this}},
      now_);
  auto made =
      UdpListener::Start(options, StatelessReset::Secret(), *server_tls_, *served_, server_random_);
  SLUICE_CHECK(made.ok()) << made.status();
  listener = *std::move(made);
}

ListenerWorld::~ListenerWorld() = default;

absl::Status ListenerWorld::TryAnother(const ListenerOptions& options) {
  listener->Stop(TimeDelta::Zero());
  return UdpListener::Start(options, StatelessReset::Secret(), *server_tls_, *served_,
                            server_random_)
      .status();
}

void ListenerWorld::Release() {
  held_ = false;
  listener->Wake();
}

void ListenerWorld::OnTurn(Timestamp /*now*/) {
  ++turns_;
  if (held_) return;
  for (Echo* const echo : echo_server_->echoes()) echo->PumpAll();
}

ListenerWorld::Client& ListenerWorld::Connect(const UdpAddress& ip) {
  auto socket = DatagramSocket::Open(AnyPort(ip));
  SLUICE_CHECK(socket.ok()) << socket.status();
  clients.push_back(std::make_unique<Client>(*std::move(socket), random));
  Client& client = *clients.back();
  const Timestamp now = MonotonicNow();
  const OutgoingConnection outgoing{.server_name = "sluice.test"};
  client.peer.Connect(now, {client.socket.local_address(), ip}, outgoing, *client_tls_);
  client.peer.connection->Flush(now, client.peer.out);
  SendOf(client);
  return client;
}

void ListenerWorld::SendOf(Client& client) {
  sender_.Send(client.socket, client.peer.out.datagrams());
  client.peer.out.Clear();
}

void ListenerWorld::Turn() {
  std::vector<pollfd> waiting;
  Timestamp due = MonotonicNow() + TimeDelta::Millis(20);
  for (const auto& client : clients) {
    waiting.push_back({.fd = client->socket.fd(), .events = POLLIN, .revents = 0});
    due = std::min(due, client->peer.connection->NextTimeout());
  }
  const TimeDelta left = std::max(due - MonotonicNow(), TimeDelta::Zero());
  poll(waiting.data(), waiting.size(), static_cast<int>(left.ms()) + (left.IsZero() ? 0 : 1));
  const Timestamp now = MonotonicNow();
  for (const auto& client : clients) {
    TestPeer& peer = client->peer;
    for (const auto& datagram : receiver_.Receive(client->socket)) {
      peer.connection->HandleDatagram(now, datagram.path, datagram.ecn, datagram.bytes, peer.out);
    }
    if (peer.connection->NextTimeout() <= now) peer.connection->HandleTimeout(now, peer.out);
    SendOf(*client);
  }
}

bool ListenerWorld::RunUntil(const std::function<bool()>& done) {
  const Timestamp end = MonotonicNow() + kPatience;
  while (!done()) {
    if (MonotonicNow() >= end) return false;
    Turn();
  }
  return true;
}

void ListenerWorld::Say(Client& client, StreamId id, absl::Span<const uint8_t> bytes) {
  SLUICE_CHECK(client.peer.connection->Write(id, bytes, true) == bytes.size());
  client.peer.connection->Flush(MonotonicNow(), client.peer.out);
  SendOf(client);
}

bool ListenerWorld::Echoes(Client& client, size_t size) {
  const std::optional<StreamId> id = client.peer.connection->OpenBidirectional();
  if (!id.has_value()) return false;
  std::vector<uint8_t> bytes(size);
  random.Fill(absl::MakeSpan(bytes));
  Say(client, *id, bytes);
  return RunUntil([&] { return client.peer.streams[*id].fin; }) &&
         client.peer.streams[*id].data == bytes;
}

}  // namespace sluice
