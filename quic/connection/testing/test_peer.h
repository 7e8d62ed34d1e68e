#ifndef QUIC_CONNECTION_TESTING_TEST_PEER_H_
#define QUIC_CONNECTION_TESTING_TEST_PEER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "base/random_source.h"
#include "base/timestamp.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/transport_parameters.h"
#include "quic/connection/close_reason.h"
#include "quic/connection/connection_handler.h"
#include "quic/connection/connection_limits.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/connection/quic_connection.h"
#include "quic/connection/send_stream.h"
#include "quic/connection/udp_path.h"
#include "quic/tls/tls_client_context.h"
#include "quic/tls/tls_server_context.h"

namespace sluice {

// One end of one connection: has it, speaks on it by writing down what it is told, and consumes
// whatever comes unless told not to.
class TestPeer : public ConnectionOwner, public ConnectionHandler {
 public:
  struct Stream {
    std::vector<uint8_t> data;
    bool fin = false;
    bool early = false;
    bool closed = false;
    std::optional<uint64_t> reset;
    bool stopped = false;
    int writable = 0;
  };

  explicit TestPeer(RandomSource& random, const ConnectionLimits& connection_limits = {});

  // Becomes a client's end, or a server's for its first datagram. False when it is none.
  void Connect(Timestamp now, const UdpPath& path, const OutgoingConnection& outgoing,
               TlsClientContext& tls);
  bool Accept(Timestamp now, const UdpPath& path, absl::Span<const uint8_t> initial,
              TlsServerContext& tls);
  // Forgets what was.
  void Restart();

  ConnectionHandler* HandlerFor(QuicConnection& connection) override;
  ConnectionId NewConnectionId(QuicConnection& connection, StatelessResetToken& token) override;
  void RetireConnectionId(QuicConnection& connection, const ConnectionId& id) override;
  size_t NewToken(QuicConnection& connection, absl::Span<uint8_t> out) override;
  void OnRoom(QuicConnection& /*connection*/) override { room_came = true; }

  void OnConnected() override { connected = true; }
  void OnStreamOpened(StreamId id) override { streams[id]; }
  void OnStreamData(StreamId id, absl::Span<const uint8_t> data, bool fin, bool early) override;
  void OnStreamReset(StreamId id, uint64_t code) override { streams[id].reset = code; }
  void OnStopSending(StreamId id) override { streams[id].stopped = true; }
  void OnWritable(StreamId id) override;
  void OnStreamClosed(StreamId id) override { streams[id].closed = true; }
  void OnEarlyDataRejected() override { early_data_rejected = true; }
  void OnTicket(absl::Span<const uint8_t> session,
                absl::Span<const uint8_t> remembered_parameters) override;
  void OnToken(absl::Span<const uint8_t> bytes) override;
  void OnClosed(const CloseReason& reason) override { closed = reason; }

  DatagramOutbox out{64};
  SendStreamPool pool{32, 256};
  // Used instead of it, if there is one. Of connections that are made later, as are limits.
  SendStreamPool* shared_pool = nullptr;
  ConnectionLimits limits;
  // Goes before what it uses.
  std::unique_ptr<QuicConnection> connection;

  bool consume = true;
  // Called after data were written down, and when there is room.
  std::function<void(StreamId)> on_data;
  std::function<void(StreamId)> on_writable;
  // The connection is to be flushed.
  bool room_came = false;
  // What NewToken gives.
  std::vector<uint8_t> token_to_give;

  bool connected = false;
  bool early_data_rejected = false;
  std::map<StreamId, Stream> streams;
  std::vector<uint8_t> ticket;
  std::vector<uint8_t> remembered;
  std::vector<uint8_t> token;
  std::optional<CloseReason> closed;
  size_t live_ids = 0;

 private:
  ConnectionResources Resources() {
    return {*this, shared_pool != nullptr ? *shared_pool : pool, random_, limits};
  }

  RandomSource& random_;
};

}  // namespace sluice

#endif  // QUIC_CONNECTION_TESTING_TEST_PEER_H_
