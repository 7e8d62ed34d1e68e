#ifndef QUIC_IO_TESTING_LISTENER_WORLD_H_
#define QUIC_IO_TESTING_LISTENER_WORLD_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/random_source.h"
#include "base/testing/seeded_random.h"
#include "base/timestamp.h"
#include "quic/connection/connection_handler.h"
#include "quic/connection/quic_connection.h"
#include "quic/connection/testing/test_peer.h"
#include "quic/connection/udp_path.h"
#include "quic/io/datagram_receiver.h"
#include "quic/io/datagram_sender.h"
#include "quic/io/datagram_socket.h"
#include "quic/io/udp_listener.h"
#include "quic/server/served_connections.h"
#include "quic/server/turn_work.h"
#include "quic/tls/testing/test_certificates.h"
#include "quic/tls/tls_client_context.h"
#include "quic/tls/tls_server_context.h"

namespace sluice {

// A listener on loopback that sends back what comes on streams, and clients of it, each with a
// socket of its own, on the test's thread.
class ListenerWorld : private TurnWork {
 public:
  // What connections are closed with when nothing is wrong.
  static constexpr uint64_t kNoError = 77;

  struct Client {
    Client(DatagramSocket s, RandomSource& random) : socket(std::move(s)), peer(random) {}
    DatagramSocket socket;
    TestPeer peer;
  };

  explicit ListenerWorld(const ListenerOptions& options);
  ~ListenerWorld() override;

  // From now on what comes is kept, until Release lets all of it go from another thread.
  void Hold() { held_ = true; }
  void Release();
  size_t bytes_held() const { return bytes_held_; }

  // What becomes of another one with such options, when the first has stopped.
  absl::Status TryAnother(const ListenerOptions& options);

  // A client of the listener at `ip`, which is one of its addresses; its first flight has left.
  Client& Connect(const UdpAddress& ip);
  Client& Connect() { return Connect(listener->local_address()); }
  // Takes part in what happens until `done`. False when it takes unreasonably long.
  bool RunUntil(const std::function<bool()>& done);
  // Sends all of a stream.
  void Say(Client& client, StreamId id, absl::Span<const uint8_t> bytes);
  // Sends `size` bytes on a stream of its own; whether all of them come back.
  bool Echoes(Client& client, size_t size);

  // How many turns the listener has made.
  uint64_t turns() const { return turns_; }

  SeededRandom random;
  std::vector<std::unique_ptr<Client>> clients;

 private:
  class Echo;
  class EchoServer;

  // TurnWork.
  void OnTurn(Timestamp now) override;

  void Turn();
  void SendOf(Client& client);

  // Of the listener's thread.
  SeededRandom server_random_;
  Timestamp now_ = Timestamp::Zero();
  std::unique_ptr<EchoServer> echo_server_;
  std::unique_ptr<ServedConnections> served_;

  std::atomic<bool> held_ = false;
  std::atomic<size_t> bytes_held_ = 0;
  std::atomic<uint64_t> turns_ = 0;

  TestCertificate root_ = MakeTestRoot();
  TestCertificate leaf_ = MakeTestCertificate(root_);
  std::unique_ptr<TlsServerContext> server_tls_;
  std::unique_ptr<TlsClientContext> client_tls_;
  DatagramReceiver receiver_;
  DatagramSender sender_{false};

 public:
  // Goes before what it uses.
  std::unique_ptr<UdpListener> listener;
};

}  // namespace sluice

#endif  // QUIC_IO_TESTING_LISTENER_WORLD_H_
