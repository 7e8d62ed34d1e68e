#ifndef QUIC_CALLS_TESTING_CALL_WORLD_H_
#define QUIC_CALLS_TESTING_CALL_WORLD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/testing/seeded_random.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "quic/calls/rpc_client_connection.h"
#include "quic/calls/rpc_connection_end.h"
#include "quic/calls/rpc_protocol_server.h"
#include "quic/calls/rpc_server_connection.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/connection/quic_connection.h"
#include "quic/connection/send_stream.h"
#include "quic/connection/testing/virtual_link.h"
#include "quic/connection/udp_path.h"
#include "quic/rpc/rpc_buffer_pool.h"
#include "quic/rpc/rpc_client_events.h"
#include "quic/rpc/rpc_limits.h"
#include "quic/rpc/rpc_service.h"
#include "quic/rpc/rpc_status.h"
#include "quic/rpc/rpc_streams.h"
#include "quic/server/listener_turn.h"
#include "quic/server/quic_endpoint.h"
#include "quic/server/served_connection.h"
#include "quic/server/served_connections.h"
#include "quic/tls/testing/test_certificates.h"
#include "quic/tls/tls_client_context.h"
#include "quic/tls/tls_server_context.h"

namespace sluice {

// Answers "Echo" with the request's message; "Once" likewise, but refuses it as 0-RTT; "Count" with
// as many messages of kCountedSize as the request's first byte says; "Wait" never.
class TestCallService : public RpcService {
 public:
  static constexpr size_t kCountedSize = 10'000;
  // FAILED_PRECONDITION of google.rpc.Code.
  static constexpr int32_t kRefusedEarly = 9;

  void OnCall(Timestamp now, const RpcCall& call, const RpcRequest& request) override;
  void OnCancelled(const RpcCall& call, RpcCancelCause cause) override;
  void OnWritable(Timestamp now, const RpcCall& call) override;

  int calls = 0;
  int early_calls = 0;
  int blocked = 0;
  std::vector<RpcCancelCause> cancelled;
  // Calls of "Wait".
  std::vector<RpcCall> waiting;

 private:
  void Count(Timestamp now, const RpcCall& call);

  // Of "Count": how many messages are left.
  std::map<RpcStreamId, int> left_;
};

// A client that makes calls, an endpoint that answers them, and what is between them, in virtual
// time.
class CallWorld : public RpcClientConnectionEvents {
 public:
  struct Answer {
    std::vector<std::vector<uint8_t>> messages;
    std::optional<int32_t> status;
    std::optional<RpcFailure> failure;
    bool over() const { return status.has_value() || failure.has_value(); }
  };

  // Remembers the last connection, also when it is gone.
  class Protocol : public RpcProtocolServer {
   public:
    using RpcProtocolServer::RpcProtocolServer;
    std::unique_ptr<ServedConnection> Serve(QuicConnection& connection) override;
    RpcServerConnection* last = nullptr;
  };

  explicit CallWorld(uint64_t seed, const RpcLimits& limits = {}, bool early_data = false);
  ~CallWorld() override;

  // A new endpoint with other limits, as after a restart with another configuration; tickets stay
  // good. Clients that come have the same limits.
  void RestartServer(const RpcLimits& limits, bool early_data);
  // A client's connection in place of the last one, with the ticket of that if `resume`.
  void StartClient(bool resume = false);
  // ... whose handshake is done and who has a ticket.
  void Connect();

  // Makes a call and sends it; nothing when that is refused.
  std::optional<RpcStreamId> Call(absl::string_view method, absl::Span<const uint8_t> message,
                                  TimeDelta timeout = TimeDelta::PlusInfinity(),
                                  RpcReplay replay = RpcReplay::kHarmful);
  void Cancel(RpcStreamId id);
  // Until the call is over, or `time` passed.
  bool RunUntilOver(RpcStreamId id, TimeDelta time);

  // RpcClientConnectionEvents.
  void OnMessage(RpcStreamId id, absl::Span<const uint8_t> message) override;
  void OnStatus(RpcStreamId id, const RpcStatus& status) override;
  void OnFailure(RpcStreamId id, const RpcFailure& failure) override;
  void OnConnected() override { connected = true; }
  void OnEarlyCallsRejected() override { ++early_rejections; }
  void OnTicket(absl::Span<const uint8_t> session,
                absl::Span<const uint8_t> remembered_parameters) override;
  void OnEnd(RpcConnectionEnd end) override { ended = end; }

  // A turn of the server without anything from outside.
  void TurnServer();
  // The connection of the last client.
  RpcServerConnection& server() { return *protocol->last; }

  // How the next client's address looks from the server.
  std::array<uint8_t, 4> client_ip = {192, 0, 2, 1};
  SeededRandom random;
  TestCallService service;
  std::map<RpcStreamId, Answer> answers;
  bool connected = false;
  int early_rejections = 0;
  std::optional<RpcConnectionEnd> ended;
  RpcBufferPool buffers{64};
  SendStreamPool client_streams{128, 1024};
  DatagramOutbox client_out{256};
  DatagramOutbox server_out{256};
  std::unique_ptr<Protocol> protocol;
  std::unique_ptr<ServedConnections> served;
  std::unique_ptr<QuicEndpoint> endpoint;
  std::unique_ptr<RpcClientConnection> client;

 private:
  LinkEnd ClientEnd();
  LinkEnd ServerEnd();
  Timestamp NextServerTimeout() const;
  ListenerTurn ServerTurn() { return {server_now_, *endpoint, server_out}; }

  RpcLimits limits_;
  TestCertificate root_ = MakeTestRoot();
  TestCertificate leaf_ = MakeTestCertificate(root_);
  // So that the same tickets are good after a restart.
  std::optional<SeededRandom> ticket_random_;
  std::unique_ptr<TlsServerContext> server_tls_;
  std::unique_ptr<TlsClientContext> client_tls_;
  std::vector<uint8_t> ticket_;
  std::vector<uint8_t> remembered_;
  Timestamp server_now_ = Timestamp::Zero();
  uint16_t client_port_ = 5000;

 public:
  VirtualLink link;
};

}  // namespace sluice

#endif  // QUIC_CALLS_TESTING_CALL_WORLD_H_
