#include "quic/io/testing/listener_world.h"

#include <poll.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/data_size.h"
#include "base/random_source.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "quic/connection/connection_handler.h"
#include "quic/connection/quic_connection.h"
#include "quic/connection/udp_path.h"
#include "quic/io/datagram_receiver.h"
#include "quic/io/datagram_socket.h"
#include "quic/io/monotonic_clock.h"
#include "quic/io/udp_listener.h"
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

class ListenerWorld::Echo : public ConnectionHandler {
 public:
  explicit Echo(QuicConnection& connection) : connection_(connection) {}
  void OnStreamData(StreamId id, absl::Span<const uint8_t> data, bool fin, bool) override {
    Stream& stream = streams_[id];
    stream.waiting.insert(stream.waiting.end(), data.begin(), data.end());
    stream.fin = stream.fin || fin;
    Pump(id);
  }
  void OnWritable(StreamId id) override { Pump(id); }

 private:
  struct Stream {
    std::vector<uint8_t> waiting;
    bool fin = false;
  };

  void Pump(StreamId id) {
    Stream& stream = streams_[id];
    const size_t written = connection_.Write(id, stream.waiting, stream.fin);
    connection_.Consume(id, written);
    stream.waiting.erase(stream.waiting.begin(),
                         stream.waiting.begin() + static_cast<ptrdiff_t>(written));
  }

  QuicConnection& connection_;
  std::map<StreamId, Stream> streams_;
};

ListenerWorld::ListenerWorld(const ListenerOptions& options)
    : random(SeededRandom::SeedFromEnvOr(90)), server_random_(random.seed() + 1) {
  server_tls_ =
      *TlsServerContext::Create({.protocols = {EchoProtocol()}},
                                *CertificateChain::FromPem(leaf_.certificate, leaf_.private_key),
                                MonotonicNow(), server_random_);
  client_tls_ =
      *TlsClientContext::Create({.protocols = {EchoProtocol()}, .trusted_pem = root_.certificate});
  auto made =
      UdpListener::Start(options, StatelessReset::Secret(), *server_tls_, *this, server_random_);
  SLUICE_CHECK(made.ok()) << made.status();
  listener = *std::move(made);
}

ListenerWorld::~ListenerWorld() = default;

absl::Status ListenerWorld::TryAnother(const ListenerOptions& options) {
  listener->Stop(TimeDelta::Zero(), 0);
  return UdpListener::Start(options, StatelessReset::Secret(), *server_tls_, *this, server_random_)
      .status();
}

ConnectionHandler* ListenerWorld::OnConnection(QuicConnection& connection) {
  echoes_.push_back(std::make_unique<Echo>(connection));
  return echoes_.back().get();
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

bool ListenerWorld::Echoes(Client& client, size_t size) {
  const std::optional<StreamId> id = client.peer.connection->OpenBidirectional();
  if (!id.has_value()) return false;
  std::vector<uint8_t> bytes(size);
  random.Fill(absl::MakeSpan(bytes));
  if (client.peer.connection->Write(*id, bytes, true) != size) return false;
  client.peer.connection->Flush(MonotonicNow(), client.peer.out);
  SendOf(client);
  return RunUntil([&] { return client.peer.streams[*id].fin; }) &&
         client.peer.streams[*id].data == bytes;
}

}  // namespace sluice
