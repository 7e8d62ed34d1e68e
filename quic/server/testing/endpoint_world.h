#ifndef QUIC_SERVER_TESTING_ENDPOINT_WORLD_H_
#define QUIC_SERVER_TESTING_ENDPOINT_WORLD_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/random_source.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "quic/connection/close_reason.h"
#include "quic/connection/connection_handler.h"
#include "quic/connection/connection_limits.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/connection/quic_connection.h"
#include "quic/connection/testing/test_peer.h"
#include "quic/connection/udp_path.h"
#include "quic/server/endpoint_verdict.h"
#include "quic/server/listener_application.h"
#include "quic/server/quic_endpoint.h"
#include "quic/tls/application_protocols.h"
#include "quic/tls/testing/test_certificates.h"
#include "quic/tls/tls_client_context.h"
#include "quic/tls/tls_server_context.h"

namespace sluice {

// An endpoint that sends back what comes on streams, and clients of it, in virtual time and without
// loss: what is sent arrives within a millisecond.
class EndpointWorld : public ConnectionAcceptor {
 public:
  struct Client {
    TestPeer peer;
    // As the server sees it.
    UdpAddress seen_as;
    Client(RandomSource& random, const ConnectionLimits& limits) : peer(random, limits) {}
  };

  explicit EndpointWorld(EndpointOptions options = {}, uint64_t seed = 70);
  ~EndpointWorld() override;

  // A new endpoint, as after a restart: `secret` is the first byte of what resets follow from.
  void Restart(const EndpointOptions& options, uint8_t secret = 1);
  // What becomes of that with such options.
  absl::Status TryRestart(const EndpointOptions& options, uint8_t secret = 1);

  // A client at `address`; it has written its first flight, which is under way with Run.
  Client& Connect(const UdpAddress& address, OutgoingConnection outgoing = {});
  // The first flight of a client of which nothing more is heard.
  std::vector<uint8_t> FirstDatagram(const UdpAddress& address);
  // Lets `time` pass.
  void Run(TimeDelta time);

  // Gives a datagram to the endpoint as it is; what it answers is in answers(), until the next.
  EndpointResult Give(const UdpAddress& from, absl::Span<const uint8_t> datagram);
  const std::vector<std::vector<uint8_t>>& answers() const { return answers_; }

  // Sends `size` bytes on a stream of its own and says whether all came back.
  bool Echoes(Client& client, size_t size = 1000);

  uint64_t count(EndpointVerdict verdict) const {
    return endpoint->counters()[static_cast<size_t>(verdict)];
  }

  ConnectionHandler* OnConnection(QuicConnection& connection) override;

  SeededRandom random;
  Timestamp now = Timestamp::Seconds(1'700'000'000);
  std::unique_ptr<QuicEndpoint> endpoint;
  std::vector<std::unique_ptr<Client>> clients;
  const UdpAddress server_address = UdpAddress::V4({192, 0, 2, 99}, 443);
  // How many bytes the server sent and got, of everybody.
  size_t bytes_sent = 0;
  size_t bytes_received = 0;
  // What connections of the server ended with.
  std::vector<CloseReason> closed;
  size_t outbox_size = 256;
  // Of clients that come.
  ConnectionLimits client_limits;
  // Has the connections instead of the world; each datagram and each millisecond is a turn, unless
  // the test makes them itself. Stays for as long as the endpoint.
  ListenerApplication* application = nullptr;
  bool makes_turns = true;

  // The application's part of a turn, and what it wrote goes to clients.
  void EndTurn();

 private:
  class Echo;

  void BeginTurn();
  bool TurnIsDue() const;
  void CarryToServer(Client& client);
  void CarryToClients();

  TestCertificate root_ = MakeTestRoot();
  TestCertificate leaf_ = MakeTestCertificate(root_);
  std::unique_ptr<TlsServerContext> server_tls_;
  std::unique_ptr<TlsClientContext> client_tls_;
  std::vector<std::unique_ptr<Echo>> echoes_;
  std::optional<DatagramOutbox> out_;
  std::vector<std::vector<uint8_t>> answers_;
};

}  // namespace sluice

#endif  // QUIC_SERVER_TESTING_ENDPOINT_WORLD_H_
