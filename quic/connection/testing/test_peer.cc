#include "quic/connection/testing/test_peer.h"

#include <ngtcp2/ngtcp2.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "base/random_source.h"
#include "base/timestamp.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/quic_version.h"
#include "quic/codec/transport_parameters.h"
#include "quic/connection/connection_handler.h"
#include "quic/connection/quic_connection.h"
#include "quic/connection/udp_path.h"
#include "quic/tls/tls_client_context.h"
#include "quic/tls/tls_server_context.h"

namespace sluice {

TestPeer::TestPeer(RandomSource& random, const ConnectionLimits& connection_limits)
    : limits(connection_limits), random_(random) {}

void TestPeer::Connect(Timestamp now, const UdpPath& path, const OutgoingConnection& outgoing,
                       TlsClientContext& tls) {
  Restart();
  auto made = QuicConnection::Connect(now, path, outgoing, tls, Resources());
  SLUICE_CHECK(made.ok()) << made.status();
  connection = *std::move(made);
}

bool TestPeer::Accept(Timestamp now, const UdpPath& path, absl::Span<const uint8_t> initial,
                      TlsServerContext& tls) {
  Restart();
  ngtcp2_pkt_hd header;
  if (ngtcp2_accept(&header, initial.data(), initial.size()) != 0) return false;
  IncomingConnection incoming;
  incoming.version = QuicVersion(header.version);
  incoming.client = ConnectionId(absl::MakeConstSpan(header.scid.data, header.scid.datalen));
  incoming.destination = ConnectionId(absl::MakeConstSpan(header.dcid.data, header.dcid.datalen));
  connection = QuicConnection::Accept(now, path, incoming, tls, Resources());
  return connection != nullptr;
}

void TestPeer::Restart() {
  connection.reset();
  out.Clear();
  connected = early_data_rejected = false;
  streams.clear();
  closed.reset();
  room_came = false;
  live_ids = 0;
}

ConnectionHandler* TestPeer::HandlerFor(QuicConnection& /*connection*/) { return this; }

ConnectionId TestPeer::NewConnectionId(QuicConnection& /*connection*/,
                                       StatelessResetToken& reset_token) {
  ++live_ids;
  std::array<uint8_t, 16> id;
  random_.Fill(absl::MakeSpan(id));
  random_.Fill(absl::MakeSpan(reset_token));
  return ConnectionId(id);
}

void TestPeer::RetireConnectionId(QuicConnection& /*connection*/, const ConnectionId& /*id*/) {
  --live_ids;
}

size_t TestPeer::NewToken(QuicConnection& /*connection*/, absl::Span<uint8_t> room) {
  CopyBytes(room, token_to_give);
  return token_to_give.size();
}

void TestPeer::OnStreamData(StreamId id, absl::Span<const uint8_t> data, bool fin, bool early) {
  Stream& stream = streams[id];
  stream.data.insert(stream.data.end(), data.begin(), data.end());
  stream.fin = stream.fin || fin;
  stream.early = stream.early || early;
  if (consume) connection->Consume(id, data.size());
  if (on_data) on_data(id);
}

void TestPeer::OnWritable(StreamId id) {
  ++streams[id].writable;
  if (on_writable) on_writable(id);
}

void TestPeer::OnTicket(absl::Span<const uint8_t> session,
                        absl::Span<const uint8_t> remembered_parameters) {
  ticket.assign(session.begin(), session.end());
  remembered.assign(remembered_parameters.begin(), remembered_parameters.end());
}

void TestPeer::OnToken(absl::Span<const uint8_t> bytes) {
  token.assign(bytes.begin(), bytes.end());
}

}  // namespace sluice
