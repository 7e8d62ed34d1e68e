#ifndef QUIC_CLIENT_TESTING_CLIENT_WORLD_H_
#define QUIC_CLIENT_TESTING_CLIENT_WORLD_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "quic/calls/rpc_protocol_server.h"
#include "quic/calls/testing/call_world.h"
#include "quic/client/client_session.h"
#include "quic/client/ticket_store.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/connection/testing/virtual_link.h"
#include "quic/connection/udp_path.h"
#include "quic/rpc/rpc_buffer_pool.h"
#include "quic/rpc/rpc_limits.h"
#include "quic/server/listener_turn.h"
#include "quic/server/quic_endpoint.h"
#include "quic/server/served_connections.h"
#include "quic/tls/testing/test_certificates.h"
#include "quic/tls/tls_client_context.h"
#include "quic/tls/tls_server_context.h"

namespace sluice {

// A session, an endpoint that answers its calls as TestCallService does, and a link of 100 ms round
// trip between them, in virtual time.
class ClientWorld : public ClientSessionEvents {
 public:
  static constexpr TimeDelta kRoundTrip = TimeDelta::Millis(100);
  // Where the server is, and where nobody is.
  static const UdpPath kServer;
  static const UdpPath kNobody;

  struct Answer {
    std::vector<std::string> messages;
    std::optional<CallEnd> end;
  };

  explicit ClientWorld(uint64_t seed);
  ~ClientWorld() override;

  // A new endpoint; `retry`: no connection without a Retry. Tickets stay good when `limits` do.
  void StartServer(bool retry, const RpcLimits& limits = {});
  // A session in place of the last one, with what that was given if `resume`. It has not said
  // anything yet.
  void StartClient(bool resume = false) { StartClient({kServer}, resume); }
  void StartClient(std::vector<UdpPath> paths, bool resume = false);
  // Hands over a call of `method` with the message "hello".
  ClientCallId Call(const char* method, RpcReplay replay = RpcReplay::kHarmful,
                    TimeDelta timeout = TimeDelta::PlusInfinity());
  // Lets the client say what it has to say.
  void Flush() { client->Flush(link.now, client_out); }
  void RunUntilConnected();
  // ... or until 30 s are over; the end of the call.
  CallEnd RunUntilOver(ClientCallId id);
  // The server goes, whatever it has begun.
  void CloseServer();

  // ClientSessionEvents.
  void OnMessage(ClientCallId id, absl::Span<const uint8_t> message) override;
  void OnCallEnd(ClientCallId id, const CallEnd& end) override;
  void OnConnected() override { ++connected; }
  void OnTicket(absl::Span<const uint8_t> ticket,
                absl::Span<const uint8_t> remembered_parameters) override;
  void OnToken(absl::Span<const uint8_t> token) override;
  void OnEnd(const absl::Status& why) override;

  SeededRandom random;
  TestCallService service;
  std::map<ClientCallId, Answer> answers;
  // Given up when any call ends.
  std::optional<ClientCallId> cancelled_at_end;
  int connected = 0;
  std::optional<absl::Status> ended;
  ServerMemory memory;
  // Of the session to come.
  std::string server_name = "sluice.test";
  RpcLimits client_limits{};
  DatagramOutbox client_out{256};
  DatagramOutbox server_out{256};
  RpcBufferPool buffers{64};
  std::unique_ptr<RpcProtocolServer> protocol;
  std::unique_ptr<ServedConnections> served;
  std::unique_ptr<QuicEndpoint> endpoint;
  // Trusts `root`, and one that does not.
  TestCertificate root = MakeTestRoot();
  std::unique_ptr<TlsClientContext> client_tls;
  std::unique_ptr<ClientSession> client;

 private:
  LinkEnd ClientEnd();
  LinkEnd ServerEnd();
  ListenerTurn ServerTurn() { return {server_now_, *endpoint, server_out}; }

  TestCertificate leaf_ = MakeTestCertificate(root);
  std::optional<SeededRandom> ticket_random_;
  std::unique_ptr<TlsServerContext> server_tls_;
  Timestamp server_now_ = Timestamp::Zero();
  ClientCallId last_call_ = 0;
  uint16_t client_port_ = 5000;

 public:
  VirtualLink link;
};

}  // namespace sluice

#endif  // QUIC_CLIENT_TESTING_CLIENT_WORLD_H_
