#ifndef QUIC_IO_TESTING_LISTENER_WORLD_H_
#define QUIC_IO_TESTING_LISTENER_WORLD_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/random_source.h"
#include "base/testing/seeded_random.h"
#include "quic/connection/connection_handler.h"
#include "quic/connection/quic_connection.h"
#include "quic/connection/testing/test_peer.h"
#include "quic/connection/udp_path.h"
#include "quic/io/datagram_receiver.h"
#include "quic/io/datagram_sender.h"
#include "quic/io/datagram_socket.h"
#include "quic/io/udp_listener.h"
#include "quic/server/quic_endpoint.h"
#include "quic/tls/testing/test_certificates.h"
#include "quic/tls/tls_client_context.h"
#include "quic/tls/tls_server_context.h"

namespace sluice {

// A listener on loopback that sends back what comes on streams, and clients of it, each with a
// socket of its own, on the test's thread.
class ListenerWorld : public ConnectionAcceptor {
 public:
  struct Client {
    Client(DatagramSocket s, RandomSource& random) : socket(std::move(s)), peer(random) {}
    DatagramSocket socket;
    TestPeer peer;
  };

  explicit ListenerWorld(const ListenerOptions& options);
  ~ListenerWorld() override;

  // What becomes of another one with such options, when the first has stopped.
  absl::Status TryAnother(const ListenerOptions& options);

  // A client of the listener at `ip`, which is one of its addresses; its first flight has left.
  Client& Connect(const UdpAddress& ip);
  Client& Connect() { return Connect(listener->local_address()); }
  // Takes part in what happens until `done`. False when it takes unreasonably long.
  bool RunUntil(const std::function<bool()>& done);
  // Sends `size` bytes on a stream of its own; whether all of them come back.
  bool Echoes(Client& client, size_t size);

  ConnectionHandler* OnConnection(QuicConnection& connection) override;

  SeededRandom random;
  std::vector<std::unique_ptr<Client>> clients;

 private:
  class Echo;

  void Turn();
  void SendOf(Client& client);

  // Of the listener's thread.
  SeededRandom server_random_;
  std::vector<std::unique_ptr<Echo>> echoes_;

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
