#include "quic/connection/quic_connection.h"

#include <ngtcp2/ngtcp2.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/timestamp.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/quic_version.h"
#include "quic/codec/transport_parameters.h"
#include "quic/connection/close_reason.h"
#include "quic/connection/connection_callbacks.h"
#include "quic/connection/connection_end.h"
#include "quic/connection/connection_handler.h"
#include "quic/connection/connection_limits.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/connection/datagram_writer.h"
#include "quic/connection/ngtcp2_path.h"
#include "quic/connection/ngtcp2_time.h"
#include "quic/connection/send_limits.h"
#include "quic/connection/send_stream.h"
#include "quic/connection/send_streams.h"
#include "quic/connection/udp_path.h"
#include "quic/tls/application_protocols.h"
#include "quic/tls/ngtcp2_parameters.h"
#include "quic/tls/tls_client_context.h"
#include "quic/tls/tls_server_context.h"

namespace sluice {
namespace {

// What a client calls a server that has not named itself: at least 8 bytes that nobody can guess
// (RFC 9000 section 7.2).
constexpr size_t kFirstDestinationSize = 18;
// So that what is under way arrives before (RFC 9000 section 10.2).
constexpr uint64_t kClosingPtos = 3;
// What ngtcp2 sends back to back before it is asked for its pace is at most ten datagrams; this
// only bounds the loop.
constexpr size_t kMaxDatagramsPerCall = 64;
}  // namespace

// ---- Beginning. ----

QuicConnection::QuicConnection(Timestamp now, const ConnectionResources& resources,
                               bssl::UniquePtr<SSL> ssl, const ApplicationProtocols& protocols,
                               int64_t unix_seconds_at_zero)
    : owner_(resources.owner),
      random_(resources.random),
      limits_(resources.limits),
      tls_(std::move(ssl), protocols, unix_seconds_at_zero, resources.random),
      streams_(resources.streams,
               SendLimitsOf(resources.limits, protocols.best().protocol.parameters), *this),
      now_(now) {}

QuicConnection::~QuicConnection() { ngtcp2_conn_del(conn_); }

std::unique_ptr<QuicConnection> QuicConnection::Accept(Timestamp now, const UdpPath& path,
                                                       const IncomingConnection& incoming,
                                                       TlsServerContext& tls,
                                                       const ConnectionResources& resources) {
  bssl::UniquePtr<SSL> ssl = tls.NewSession(now);
  if (ssl == nullptr) return nullptr;
  std::unique_ptr<QuicConnection> self(
      new QuicConnection(now, resources, std::move(ssl), tls.protocols(), 0));
  ngtcp2_settings settings = SettingsOf(self->limits_, now);
  settings.rand_ctx = RandomContext(self->random_);
  settings.token = incoming.token.data();
  settings.tokenlen = incoming.token.size();
  settings.token_type =
      incoming.token_is_of_retry ? NGTCP2_TOKEN_TYPE_RETRY : NGTCP2_TOKEN_TYPE_NEW_TOKEN;
  ngtcp2_transport_params params;
  ngtcp2_transport_params_default(&params);
  SetEndpointParameters(tls.protocols().best().protocol.parameters, params);
  params.original_dcid = ToNgtcp2(incoming.original_destination.value_or(incoming.destination));
  params.original_dcid_present = 1;
  if (incoming.original_destination.has_value()) {
    params.retry_scid = ToNgtcp2(incoming.destination);
    params.retry_scid_present = 1;
  }
  StatelessResetToken token;
  const ngtcp2_cid own = ToNgtcp2(resources.owner.NewConnectionId(*self, token));
  CopyBytes(absl::MakeSpan(params.stateless_reset_token), token);
  params.stateless_reset_token_present = 1;
  const ngtcp2_cid client = ToNgtcp2(incoming.client);
  const ngtcp2_callbacks callbacks = Table();
  ConnectionCallbacks* user_data = self.get();
  const Ngtcp2Path ngtcp2_path(path);
  if (ngtcp2_conn_server_new(&self->conn_, &client, &own, &ngtcp2_path.get(),
                             incoming.version.value(), &callbacks, &settings, &params, nullptr,
                             user_data) != 0) {
    resources.owner.RetireConnectionId(*self, FromNgtcp2(own));
    return nullptr;
  }
  self->tls_.Bind(*self->conn_);
  return self;
}

absl::StatusOr<std::unique_ptr<QuicConnection>> QuicConnection::Connect(
    Timestamp now, const UdpPath& path, const OutgoingConnection& outgoing, TlsClientContext& tls,
    const ConnectionResources& resources) {
  if (!IsSpoken(outgoing.version, resources.limits)) {
    return absl::InvalidArgumentError("the version is not spoken here");
  }
  const int64_t unix_seconds = outgoing.unix_seconds_at_zero + now.us() / 1'000'000;
  bssl::UniquePtr<SSL> ssl = tls.NewSession(outgoing.server_name, unix_seconds, outgoing.ticket);
  if (ssl == nullptr) return absl::InvalidArgumentError("the server's name is not one");
  SSL& session = *ssl;
  std::unique_ptr<QuicConnection> self(new QuicConnection(
      now, resources, std::move(ssl), tls.protocols(), outgoing.unix_seconds_at_zero));
  TlsClientContext::GiveTicketsTo(*self, session);
  ngtcp2_settings settings = SettingsOf(self->limits_, now);
  settings.rand_ctx = RandomContext(self->random_);
  settings.token = outgoing.token.data();
  settings.tokenlen = outgoing.token.size();
  ngtcp2_transport_params params;
  ngtcp2_transport_params_default(&params);
  SetEndpointParameters(tls.protocols().best().protocol.parameters, params);
  std::array<uint8_t, kFirstDestinationSize> destination;
  resources.random.Fill(absl::MakeSpan(destination));
  const ngtcp2_cid server = ToNgtcp2(ConnectionId(destination));
  StatelessResetToken unused;
  const ngtcp2_cid own = ToNgtcp2(resources.owner.NewConnectionId(*self, unused));
  const ngtcp2_callbacks callbacks = Table();
  ConnectionCallbacks* user_data = self.get();
  const Ngtcp2Path ngtcp2_path(path);
  if (ngtcp2_conn_client_new(&self->conn_, &server, &own, &ngtcp2_path.get(),
                             outgoing.version.value(), &callbacks, &settings, &params, nullptr,
                             user_data) != 0) {
    resources.owner.RetireConnectionId(*self, FromNgtcp2(own));
    return absl::ResourceExhaustedError("no memory for a connection");
  }
  self->tls_.Bind(*self->conn_);
  if (self->tls_.may_send_early_data() && !outgoing.remembered_parameters.empty()) {
    const absl::Span<const uint8_t> remembered = outgoing.remembered_parameters;
    if (ngtcp2_conn_decode_and_set_0rtt_transport_params(self->conn_, remembered.data(),
                                                         remembered.size()) != 0) {
      return absl::InvalidArgumentError("the remembered transport parameters are none");
    }
  }
  return self;
}

// ---- Datagrams and time. ----

ngtcp2_tstamp QuicConnection::Advance(Timestamp now) {
  now_ = std::max(now_, now);
  return ToNanoseconds(now_);
}

void QuicConnection::HandleDatagram(Timestamp now, const UdpPath& path, Ecn ecn,
                                    absl::Span<const uint8_t> datagram, DatagramOutbox& out) {
  const ngtcp2_tstamp ts = Advance(now);
  ++counters_.datagrams_received;
  if (state_ != State::kOpen) {
    ++counters_.received_after_close;
    if (state_ == State::kClosing && close_packet_.Answer(path, out)) ++counters_.closes_repeated;
    return;
  }
  const ngtcp2_pkt_info info = {.ecn = static_cast<uint8_t>(ecn)};
  const Ngtcp2Path ngtcp2_path(path);
  reading_ = true;
  const int result =
      ngtcp2_conn_read_pkt(conn_, &ngtcp2_path.get(), &info, datagram.data(), datagram.size(), ts);
  reading_ = false;
  if (result != 0) {
    HandleError(result, out);
    return;
  }
  // More credit of the connection's is not told apart from anything else.
  streams_.Unblock();
  TellOfRoom();
  WriteAll(out);
}

void QuicConnection::HandleTimeout(Timestamp now, DatagramOutbox& out) {
  const ngtcp2_tstamp ts = Advance(now);
  if (state_ != State::kOpen) {
    if (now_ >= over_at_) state_ = State::kOver;
    return;
  }
  if (ngtcp2_conn_get_expiry(conn_) > ts) return;
  const int result = ngtcp2_conn_handle_expiry(conn_, ts);
  if (result != 0) {
    HandleError(result, out);
    return;
  }
  WriteAll(out);
}

Timestamp QuicConnection::NextTimeout() const {
  if (state_ == State::kOpen) return FromNanoseconds(ngtcp2_conn_get_expiry(conn_));
  return over() ? Timestamp::PlusInfinity() : over_at_;
}

void QuicConnection::Flush(Timestamp now, DatagramOutbox& out) {
  Advance(now);
  if (state_ != State::kOpen) return;
  TellOfRoom();
  WriteAll(out);
}

void QuicConnection::WriteAll(DatagramOutbox& out) {
  size_t quantum = ngtcp2_conn_get_send_quantum(conn_);
  for (size_t i = 0; i < kMaxDatagramsPerCall && quantum > 0; ++i) {
    const absl::Span<uint8_t> room = out.Reserve();
    if (room.empty()) {
      ++counters_.outbox_full;
      break;
    }
    ngtcp2_path_storage path;
    ngtcp2_path_storage_zero(&path);
    ngtcp2_pkt_info info = {};
    const ngtcp2_ssize size = WriteDatagram(*conn_, streams_, now_, room, path.path, info);
    if (size < 0) {
      HandleError(static_cast<int>(size), out);
      return;
    }
    if (size == 0) break;
    out.Commit(static_cast<size_t>(size), FromNgtcp2(path.path), static_cast<Ecn>(info.ecn & 3));
    ++counters_.datagrams_sent;
    quantum -= std::min(quantum, static_cast<size_t>(size));
  }
  ngtcp2_conn_update_pkt_tx_time(conn_, ToNanoseconds(now_));
  TellOfStops();
}

void QuicConnection::TellOfStops() {
  // Not while a datagram is written: who is told may use the connection.
  while (SendStream* stream = streams_.NextStopped()) {
    stream->stopped = false;
    if (handler() != nullptr) handler()->OnStopSending(stream->id());
  }
}

void QuicConnection::OnRoom() {
  if (!reading_) owner_.OnRoom(*this);
}

void QuicConnection::TellOfRoom() {
  while (const std::optional<SendStreams::Waiting> waiting = streams_.NextPlace()) {
    if (waiting->fin) {
      Write(waiting->id, {}, true);
    } else if (handler() != nullptr) {
      handler()->OnWritable(waiting->id);
    }
  }
  const auto max_kept = static_cast<uint64_t>(limits_.max_unacknowledged.bytes());
  while (SendStream* stream = streams_.NextWithRoom(max_kept)) {
    if (handler() != nullptr) handler()->OnWritable(stream->id());
  }
  streams_.LeaveRoom();
}

// ---- The end. ----

void QuicConnection::HandleError(int error, DatagramOutbox& out) {
  Finish(EndingOf(error, *conn_), out);
}

void QuicConnection::Close(Timestamp now, uint64_t code, DatagramOutbox& out) {
  Advance(now);
  if (state_ == State::kOpen) Finish(EndingByApplication(code), out);
}

void QuicConnection::Finish(const Ending& ending, DatagramOutbox& out) {
  state_ = State::kOver;
  if (ending.manner == Ending::Manner::kDrain) state_ = State::kDraining;
  if (ending.manner == Ending::Manner::kTell &&
      close_packet_.Write(*conn_, ending.error, now_, out)) {
    ++counters_.datagrams_sent;
    state_ = State::kClosing;
  }
  over_at_ = FromNanoseconds(ToNanoseconds(now_) + kClosingPtos * ngtcp2_conn_get_pto(conn_));
  // A stateless reset was noted before it led here.
  Note(ending.reason);
}

void QuicConnection::Note(const CloseReason& reason) {
  if (ended()) return;
  reason_ = reason;
  streams_.ForgetAll();
  // A client waits to hear how it went; of a server's that nobody speaks on, nobody does.
  if (ngtcp2_conn_is_server(conn_) == 0) handler();
  if (handler_.value_or(nullptr) != nullptr) (*handler_)->OnClosed(reason);
}

// ---- Streams. ----

std::optional<StreamId> QuicConnection::OpenBidirectional() {
  StreamId id;
  if (ended() || ngtcp2_conn_open_bidi_stream(conn_, &id, nullptr) != 0) return std::nullopt;
  return id;
}

std::optional<StreamId> QuicConnection::OpenUnidirectional() {
  StreamId id;
  if (ended() || ngtcp2_conn_open_uni_stream(conn_, &id, nullptr) != 0) return std::nullopt;
  return id;
}

SendStream* QuicConnection::PlaceFor(StreamId id, bool fin) {
  // Fails for a stream that is gone, which must not wait.
  if (ngtcp2_conn_set_stream_user_data(conn_, id, nullptr) != 0) return nullptr;
  SendStream* stream = streams_.Take(id, fin);
  if (stream == nullptr) {
    ++counters_.writes_cut;
    counters_.waits_lost = streams_.waits_lost();
    return nullptr;
  }
  // So that what arrives is told with it.
  static_cast<void>(ngtcp2_conn_set_stream_user_data(conn_, id, stream));
  return stream;
}

size_t QuicConnection::Write(StreamId id, absl::Span<const uint8_t> data, bool fin) {
  if (ended()) return 0;
  SendStream* stream = streams_.Find(id);
  if (stream == nullptr) stream = PlaceFor(id, fin && data.empty());
  if (stream == nullptr) return 0;
  if (stream->shut || stream->finished()) return 0;
  const size_t taken =
      stream->Append(data, static_cast<size_t>(limits_.max_unacknowledged.bytes()));
  if (taken < data.size()) {
    ++counters_.writes_cut;
  } else if (fin) {
    stream->Finish();
  }
  return taken;
}

void QuicConnection::Reset(StreamId id, uint64_t code) {
  if (ended()) return;
  SendStream* stream = streams_.Find(id);
  if (stream != nullptr) stream->shut = true;
  streams_.ForgetWaiting(id);
  // Fails only for a stream that is gone.
  static_cast<void>(ngtcp2_conn_shutdown_stream_write(conn_, 0, id, code));
}

void QuicConnection::StopSending(StreamId id, uint64_t code) {
  if (ended()) return;
  static_cast<void>(ngtcp2_conn_shutdown_stream_read(conn_, 0, id, code));
}

void QuicConnection::Consume(StreamId id, size_t size) {
  if (ended()) return;
  static_cast<void>(ngtcp2_conn_extend_max_stream_offset(conn_, id, size));
}

// ---- The connection. ----

bool QuicConnection::UpdateKeys(Timestamp now) {
  const ngtcp2_tstamp ts = Advance(now);
  return connected() && ngtcp2_conn_initiate_key_update(conn_, ts) == 0;
}

bool QuicConnection::Migrate(Timestamp now, const UdpPath& path) {
  const ngtcp2_tstamp ts = Advance(now);
  if (!connected() || ngtcp2_conn_is_server(conn_) != 0) return false;
  const Ngtcp2Path ngtcp2_path(path);
  return ngtcp2_conn_initiate_immediate_migration(conn_, &ngtcp2_path.get(), ts) == 0;
}

absl::string_view QuicConnection::protocol() const {
  const ApplicationProtocols::Entry* entry = tls_.protocol();
  return entry != nullptr ? absl::string_view(entry->protocol.name) : absl::string_view();
}

QuicVersion QuicConnection::version() const {
  return QuicVersion(ngtcp2_conn_get_negotiated_version(conn_));
}

UdpPath QuicConnection::path() const { return FromNgtcp2(*ngtcp2_conn_get_path(conn_)); }

ConnectionHandler* QuicConnection::handler() {
  if (!handler_.has_value()) handler_ = owner_.HandlerFor(*this);
  return *handler_;
}

// ---- What ngtcp2 and TLS tell. ----

int QuicConnection::OnClientInitial() { return tls_.StartClient(now_); }

int QuicConnection::OnCryptoData(ngtcp2_encryption_level level, absl::Span<const uint8_t> data) {
  return tls_.HandleCryptoData(now_, level, data);
}

int QuicConnection::OnHandshakeCompleted() {
  connected_ = true;
  tls_.ShedHandshake();
  if (ngtcp2_conn_is_server(conn_) != 0) OnTokenWanted();
  if (handler() == nullptr) return NGTCP2_ERR_CALLBACK_FAILURE;
  handler()->OnConnected();
  return 0;
}

void QuicConnection::OnStreamOpened(int64_t id) {
  if (handler() != nullptr) handler()->OnStreamOpened(id);
}

void QuicConnection::OnStreamData(int64_t id, absl::Span<const uint8_t> data, bool fin,
                                  bool early) {
  // What one stream holds back must not stop the others; what all may hold is bounded by their
  // number and their limits.
  ngtcp2_conn_extend_max_offset(conn_, data.size());
  if (handler() != nullptr) handler()->OnStreamData(id, data, fin, early);
}

void QuicConnection::OnAcknowledged(uint64_t offset, void* stream) {
  if (stream != nullptr) static_cast<SendStream*>(stream)->Acknowledge(offset);
}

void QuicConnection::OnStreamClosed(int64_t id, void* stream) {
  if (stream != nullptr) streams_.Forget(*static_cast<SendStream*>(stream));
  streams_.ForgetWaiting(id);
  if (ngtcp2_conn_is_local_stream(conn_, id) == 0) {
    // Another one may come in its place.
    if (IsBidirectional(id)) {
      ngtcp2_conn_extend_max_streams_bidi(conn_, 1);
    } else {
      ngtcp2_conn_extend_max_streams_uni(conn_, 1);
    }
  }
  if (handler() != nullptr) handler()->OnStreamClosed(id);
}

void QuicConnection::OnStreamReset(int64_t id, uint64_t code) {
  if (handler() != nullptr) handler()->OnStreamReset(id, code);
}

void QuicConnection::OnNewConnectionId(ngtcp2_cid& id, absl::Span<uint8_t> token) {
  StatelessResetToken reset;
  id = ToNgtcp2(owner_.NewConnectionId(*this, reset));
  CopyBytes(token, reset);
}

void QuicConnection::OnRetiredConnectionId(const ngtcp2_cid& id) {
  owner_.RetireConnectionId(*this, FromNgtcp2(id));
}

void QuicConnection::OnTokenWanted() {
  std::array<uint8_t, ConnectionOwner::kMaxTokenSize> token;
  const size_t size = owner_.NewToken(*this, absl::MakeSpan(token));
  // Fails only for lack of memory; the client then does without.
  if (size > 0) static_cast<void>(ngtcp2_conn_submit_new_token(conn_, token.data(), size));
}

void QuicConnection::OnToken(absl::Span<const uint8_t> token) {
  if (handler() != nullptr) handler()->OnToken(token);
}

void QuicConnection::OnEarlyDataRejected() {
  streams_.ForgetAll();
  if (handler() != nullptr) handler()->OnEarlyDataRejected();
}

void QuicConnection::OnStatelessReset() { Note({CloseCause::kStatelessReset, 0}); }

void QuicConnection::OnTicket(absl::Span<const uint8_t> session) {
  std::array<uint8_t, 256> parameters;
  const ngtcp2_ssize size =
      ngtcp2_conn_encode_0rtt_transport_params(conn_, parameters.data(), parameters.size());
  if (size < 0 || handler() == nullptr) return;
  handler()->OnTicket(session, absl::MakeConstSpan(parameters).first(static_cast<size_t>(size)));
}

}  // namespace sluice
