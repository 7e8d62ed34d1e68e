#include "quic/client/client_session.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "quic/connection/close_reason.h"
#include "quic/connection/quic_connection.h"
#include "quic/rpc/rpc_request_header.h"

namespace sluice {
namespace {

// Requests are written at once and answers read at once: what the client keeps is one request of
// the longest kind per buffer, and some blocks for each call.
constexpr size_t kBuffers = 4;
constexpr size_t kBlocksPerCall = 16;
// A request that was answered keeps its place until the server has acknowledged it, and
// acknowledgements get lost: as many calls again may have begun meanwhile, several times.
constexpr size_t kStreamsPerCall = 4;

// As long as no round trip was measured, ngtcp2 leaves 80 us between packets. In that time a server
// nearby may have answered; what goes out as 0-RTT leaves together with the ClientHello instead,
// which RFC 9002 section 7.7 allows for as much as the initial window.
constexpr TimeDelta kFirstPacing = TimeDelta::Micros(200);

// RFC 9000 sections 17.2 and 17.2.5: a long header of type 3, of version 1.
bool IsRetry(absl::Span<const uint8_t> datagram) {
  return datagram.size() >= 5 && (datagram[0] & 0xb0) == 0xb0 && datagram[1] == 0 &&
         datagram[2] == 0 && datagram[3] == 0 && datagram[4] == 1;
}

absl::Span<const uint8_t> BytesOf(const std::string& text) {
  return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

}  // namespace

ClientSession::ClientSession(ClientSessionOptions options, TlsClientContext& tls,
                             RandomSource& random, ClientSessionEvents& events)
    : options_(std::move(options)),
      tls_(tls),
      random_(random),
      events_(events),
      buffers_(kBuffers),
      streams_(options_.limits.calls * kStreamsPerCall, options_.limits.calls * kBlocksPerCall) {
  SLUICE_CHECK(!options_.paths.empty());
}

ClientSession::~ClientSession() = default;

// ---- Datagrams and time. ----

void ClientSession::HandleDatagram(Timestamp now, const UdpPath& path, Ecn ecn,
                                   absl::Span<const uint8_t> datagram, DatagramOutbox& out) {
  now_ = now;
  if (connection_ == nullptr || path.remote != this->path().remote) {
    ++strangers_;
    return;
  }
  heard_ = true;
  next_address_at_ = Timestamp::PlusInfinity();
  const bool retry = !handshake_.has_value() && IsRetry(datagram);
  const size_t before = out.datagrams().size();
  connection_->HandleDatagram(now, path, ecn, datagram, out);
  // A Retry that was believed is answered at once; others are ignored.
  if (retry && !end_.has_value() && out.datagrams().size() > before) {
    ++retries_;
    trips_.OnAnswered();
    trips_.OnAsked();
  }
  ConnectElsewhere(out);
  StartWaiting();
  if (connection_ != nullptr) connection_->Flush(now_, out);
}

void ClientSession::HandleTimeout(Timestamp now, DatagramOutbox& out) {
  now_ = now;
  Expire();
  if (next_address_at_ <= now) unanswered_ = true;
  if (connection_ != nullptr && !unanswered_ && connection_->NextTimeout() <= now) {
    connection_->HandleTimeout(now, out);
  }
  ConnectElsewhere(out);
  StartWaiting();
  if (connection_ != nullptr) connection_->Flush(now_, out);
}

Timestamp ClientSession::NextTimeout() const {
  Timestamp next = next_address_at_;
  if (connection_ != nullptr) next = std::min(next, connection_->NextTimeout());
  for (const auto& [id, call] : calls_) {
    if (!call.stream.has_value()) next = std::min(next, call.deadline);
  }
  return next;
}

void ClientSession::Flush(Timestamp now, DatagramOutbox& out) {
  now_ = now;
  if (end_.has_value() && connection_ == nullptr) return;
  if (connection_ == nullptr) {
    begun_ = now;
    Connect(out);
    return;
  }
  StartWaiting();
  connection_->Flush(now, out);
}

// ---- The connection. ----

void ClientSession::Connect(DatagramOutbox& out) {
  unanswered_ = false;
  rejecting_ = false;
  heard_ = false;
  next_address_at_ =
      HasOtherAddress() ? now_ + options_.next_address_after : Timestamp::PlusInfinity();
  ConnectionLimits limits;
  limits.handshake_timeout = options_.handshake_timeout;
  auto made = RpcClientConnection::Connect(
      now_, path(),
      {.server_name = options_.server_name,
       .ticket = options_.memory.ticket,
       .remembered_parameters = options_.memory.remembered_parameters,
       .token = options_.memory.token,
       .unix_seconds_at_zero = options_.unix_seconds_at_zero},
      tls_, {*this, buffers_, streams_, random_, options_.limits, limits});
  if (!made.ok()) return End(made.status());
  connection_ = *std::move(made);
  trips_.OnAsked();
  // Keys of 0-RTT are there when the first packet was written.
  connection_->Flush(now_, out);
  StartWaiting();
  connection_->Flush(now_ + kFirstPacing, out);
}

void ClientSession::ConnectElsewhere(DatagramOutbox& out) {
  if (!std::exchange(unanswered_, false) || end_.has_value()) return;
  // Nobody is there to be told of the end. Calls that were made early were not done by anybody who
  // answers; they are such as may happen twice.
  for (auto& [id, call] : calls_) call.stream.reset();
  connection_.reset();
  trips_.OnAnswered();
  ++address_;
  Connect(out);
}

void ClientSession::Close(Timestamp now, DatagramOutbox& out) {
  now_ = now;
  if (end_.has_value()) return;
  if (connection_ != nullptr) connection_->Close(now, out);
  if (!end_.has_value()) End(ConnectionError({CloseCause::kLocalApplication, 0}, Story()));
}

bool ClientSession::Migrate(Timestamp now, const UdpPath& path) {
  now_ = now;
  return connected() && connection_->Migrate(now, path);
}

ConnectionStory ClientSession::Story() const {
  return {.server = options_.server,
          .connected = handshake_.has_value(),
          .heard = heard_,
          .patience = options_.handshake_timeout};
}

void ClientSession::End(const absl::Status& why) {
  end_ = why;
  next_address_at_ = Timestamp::PlusInfinity();
  while (!calls_.empty()) {
    const auto call = calls_.begin();
    const bool sent = call->second.stream.has_value() && !absl::IsCancelled(why);
    EndCall(call,
            sent ? absl::Status(why.code(), absl::StrCat(why.message(), "; nobody knows whether ",
                                                         call->second.request.method, " was done"))
                 : why);
  }
  events_.OnEnd(why);
}

// ---- Calls. ----

void ClientSession::Call(Timestamp now, ClientCallId id, ClientRequest request) {
  now_ = now;
  const Timestamp deadline = now + request.timeout;
  const auto [call, added] = calls_.try_emplace(id, CallState{.request = std::move(request),
                                                              .begun = now,
                                                              .deadline = deadline,
                                                              .trips_before = trips_.count(),
                                                              .stream = std::nullopt});
  SLUICE_CHECK(added);
  if (end_.has_value()) return EndCall(call, *end_);
  if (calls_.size() > kMaxWaiting + options_.limits.calls) {
    EndCall(call, absl::ResourceExhaustedError(absl::StrCat("more than ", kMaxWaiting,
                                                            " calls wait for ", options_.server)));
  }
}

bool ClientSession::Cancel(ClientCallId id) {
  const auto call = calls_.find(id);
  if (call == calls_.end()) return false;
  if (call->second.stream.has_value()) connection_->Cancel(*call->second.stream);
  calls_.erase(call);
  return true;
}

void ClientSession::StartWaiting() {
  if (connection_ == nullptr || end_.has_value()) return;
  // By their names: who hears of the end of one may give up any other.
  ClientCallId id = 0;
  for (auto call = calls_.begin(); call != calls_.end(); call = calls_.upper_bound(id)) {
    id = call->first;
    CallState& state = call->second;
    if (state.stream.has_value()) continue;
    const RpcRequestHeader header = {.method = state.request.method,
                                     .token = state.request.token,
                                     .timeout = state.deadline - now_};
    const absl::StatusOr<RpcStreamId> stream =
        connection_->Start(now_, header, BytesOf(state.request.message), state.request.replay);
    if (stream.ok()) {
      state.stream = *stream;
      trips_.OnAsked();
    } else if (absl::IsResourceExhausted(stream.status())) {
      // All that come later need the same.
      return;
    } else if (!absl::IsUnavailable(stream.status())) {
      EndCall(call, stream.status());
    }
  }
}

void ClientSession::Expire() {
  ClientCallId id = 0;
  for (auto call = calls_.begin(); call != calls_.end(); call = calls_.upper_bound(id)) {
    id = call->first;
    CallState& state = call->second;
    if (state.stream.has_value() || state.deadline > now_) continue;
    EndCall(call, absl::DeadlineExceededError(absl::StrCat(
                      state.request.method, " waited ", state.request.timeout,
                      handshake_.has_value() ? " for other calls to " : " for the connection to ",
                      options_.server)));
  }
}

ClientSession::Calls::iterator ClientSession::Find(RpcStreamId stream) {
  return std::find_if(calls_.begin(), calls_.end(),
                      [&](const auto& call) { return call.second.stream == stream; });
}

void ClientSession::EndCall(Calls::iterator call, absl::Status status) {
  const ClientCallId id = call->first;
  const CallEnd end = {.status = std::move(status),
                       .took = {.elapsed = now_ - call->second.begun,
                                .round_trips = trips_.count() - call->second.trips_before}};
  calls_.erase(call);
  events_.OnCallEnd(id, end);
}

// ---- What the connection tells. ----

void ClientSession::OnMessage(RpcStreamId id, absl::Span<const uint8_t> message) {
  trips_.OnAnswered();
  const auto call = Find(id);
  if (call != calls_.end()) events_.OnMessage(call->first, message);
}

void ClientSession::OnStatus(RpcStreamId id, const RpcStatus& status) {
  trips_.OnAnswered();
  const auto call = Find(id);
  if (call != calls_.end()) EndCall(call, AnswerError(status));
}

void ClientSession::OnFailure(RpcStreamId id, const RpcFailure& failure) {
  const auto call = Find(id);
  if (call == calls_.end()) return;
  if (failure.cause == RpcFailureCause::kConnectionLost) {
    if (rejecting_) {
      call->second.stream.reset();
      ++calls_repeated_;
    }
    // Else the end of the connection is told next, and says why.
    return;
  }
  if (failure.cause == RpcFailureCause::kByServer) trips_.OnAnswered();
  EndCall(call, CallError(failure, call->second.request.method, options_.server,
                          call->second.request.timeout));
}

void ClientSession::OnConnected() {
  trips_.OnAnswered();
  rejecting_ = false;
  handshake_ = {.elapsed = now_ - begun_, .round_trips = trips_.count()};
  events_.OnConnected();
  StartWaiting();
}

void ClientSession::OnEarlyCallsRejected() { rejecting_ = true; }

void ClientSession::OnTicket(absl::Span<const uint8_t> session,
                             absl::Span<const uint8_t> remembered_parameters) {
  events_.OnTicket(session, remembered_parameters);
}

void ClientSession::OnToken(absl::Span<const uint8_t> token) { events_.OnToken(token); }

void ClientSession::OnEnd(RpcConnectionEnd end) {
  const CloseReason& reason = *connection_->connection().reason();
  if (end == RpcConnectionEnd::kUnreachable && !heard_ && HasOtherAddress()) {
    // Not here, in the middle of the connection that goes.
    unanswered_ = true;
    return;
  }
  End(ConnectionError(reason, Story()));
}

}  // namespace sluice
