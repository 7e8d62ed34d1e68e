#include "quic/server/quic_endpoint.h"

#include <ngtcp2/ngtcp2.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/random_source.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/quic_version.h"
#include "quic/codec/transport_parameters.h"
#include "quic/connection/close_reason.h"
#include "quic/connection/connection_handler.h"
#include "quic/connection/connection_limits.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/connection/quic_connection.h"
#include "quic/connection/udp_path.h"
#include "quic/server/address_tokens.h"
#include "quic/server/endpoint_limits.h"
#include "quic/server/endpoint_verdict.h"
#include "quic/server/server_connection_id.h"
#include "quic/server/source_shares.h"
#include "quic/server/stateless_packets.h"
#include "quic/server/stateless_reset.h"
#include "quic/tls/ngtcp2_parameters.h"
#include "quic/tls/tls_server_context.h"

namespace sluice {
namespace {

// RFC 9000 section 14.1.
constexpr size_t kMinInitialDatagram = 1200;
// A connection that says that it is due and, having been served, says so again, waits as long as a
// timer of ngtcp2 at least does.
constexpr TimeDelta kMinTimerStep = TimeDelta::Millis(1);
// Names that an average connection has: the tables have room for as many without growing.
constexpr size_t kUsualNames = 6;

// Services that answer anything, to anybody: echo, daytime, chargen, DNS, NTP, SNMP, SSDP,
// memcached. Nobody's QUIC comes from there.
constexpr std::array<uint16_t, 10> kReflectingPorts = {0,   7,   13,   19,   53,
                                                       123, 161, 1900, 5353, 11211};

bool IsLongHeader(uint8_t first) { return (first & 0x80) != 0; }

}  // namespace

absl::StatusOr<std::unique_ptr<QuicEndpoint>> QuicEndpoint::Create(
    Timestamp now, const EndpointOptions& options, StatelessReset::Secret reset_secret,
    TlsServerContext& tls, ConnectionAcceptor& acceptor, RandomSource& random) {
  absl::Status status = CheckEndpointLimits(options.limits);
  if (status.ok()) status = CheckConnectionLimits(options.connection_limits);
  if (!status.ok()) return status;
  if (options.thread >= options.threads) {
    return absl::InvalidArgumentError(
        absl::StrCat("thread ", options.thread, " is not one of ", options.threads));
  }
  return std::unique_ptr<QuicEndpoint>(
      new QuicEndpoint(now, options, std::move(reset_secret), tls, acceptor, random));
}

QuicEndpoint::QuicEndpoint(Timestamp now, const EndpointOptions& options,
                           StatelessReset::Secret reset_secret, TlsServerContext& tls,
                           ConnectionAcceptor& acceptor, RandomSource& random)
    : options_(options),
      reset_(std::move(reset_secret)),
      tls_(tls),
      acceptor_(acceptor),
      random_(random),
      connection_limits_(WithinPool(options.connection_limits, options.limits.send_streams,
                                    options.limits.send_blocks)),
      pool_(options.limits.send_streams, options.limits.send_blocks),
      tokens_(now, random),
      budget_(now, options.limits.stateless_answers_per_second),
      shares_(options.limits.max_connections),
      deadlines_(options.limits.max_connections),
      places_(std::make_unique<Place[]>(options.limits.max_connections)),
      now_(now) {
  const uint32_t count = options.limits.max_connections;
  free_places_.reserve(count);
  // Once more while they are looked at.
  pending_.reserve(size_t{2} * count);
  routes_.reserve(count * kUsualNames);
  for (uint32_t i = 0; i < count; ++i) {
    places_[i].endpoint = this;
    places_[i].index = i;
    // The first one is given first.
    free_places_.push_back(count - 1 - i);
  }
}

QuicEndpoint::~QuicEndpoint() = default;

// ---- Sorting datagrams. ----

EndpointResult QuicEndpoint::HandleDatagram(Timestamp now, const UdpPath& path, Ecn ecn,
                                            absl::Span<const uint8_t> datagram,
                                            DatagramOutbox& out) {
  now_ = std::max(now_, now);
  const EndpointResult result = Sort(path, ecn, datagram, out);
  ++counters_[static_cast<size_t>(result.verdict)];
  return result;
}

EndpointResult QuicEndpoint::Sort(const UdpPath& path, Ecn ecn, absl::Span<const uint8_t> datagram,
                                  DatagramOutbox& out) {
  if (datagram.empty()) return {EndpointVerdict::kNotQuic};
  ngtcp2_version_cid names;
  const int decoded = ngtcp2_pkt_decode_version_cid(&names, datagram.data(), datagram.size(),
                                                    kServerConnectionIdSize);
  const bool is_long = IsLongHeader(datagram[0]);
  const bool unspoken = decoded == 0 && is_long && names.version == NGTCP2_PROTO_VER_V2 &&
                        !options_.connection_limits.version2;
  if (decoded == NGTCP2_ERR_VERSION_NEGOTIATION ||
      (unspoken && datagram.size() >= kMinInitialDatagram)) {
    return {
        Answer(path, EndpointVerdict::kVersionNegotiationSent, out, [&](absl::Span<uint8_t> room) {
          return WriteVersionNegotiation(absl::MakeConstSpan(names.scid, names.scidlen),
                                         absl::MakeConstSpan(names.dcid, names.dcidlen),
                                         options_.connection_limits.version2, random_, room);
        })};
  }
  // Version 0 is an answer that no server asked for.
  if (decoded != 0 || unspoken || (is_long && names.version == 0)) {
    return {EndpointVerdict::kNotQuic};
  }
  const ConnectionId id(absl::MakeConstSpan(names.dcid, names.dcidlen));
  Place* place = Find(id);
  if (place != nullptr) {
    place->connection->HandleDatagram(now_, path, ecn, datagram, out);
    Settle(*place, out);
    return {EndpointVerdict::kDelivered};
  }
  if (!is_long) return HandleShort(path, datagram, id, out);
  return {HandleInitial(path, ecn, datagram, out)};
}

EndpointResult QuicEndpoint::HandleShort(const UdpPath& path, absl::Span<const uint8_t> datagram,
                                         const ConnectionId& id, DatagramOutbox& out) {
  const uint8_t thread = ThreadOf(id);
  if (thread != options_.thread && thread < options_.threads) {
    return {EndpointVerdict::kOtherThread, thread};
  }
  if (datagram.size() < StatelessReset::kMinTrigger) return {EndpointVerdict::kUnknownConnection};
  return {Answer(path, EndpointVerdict::kStatelessResetSent, out, [&](absl::Span<uint8_t> room) {
    return reset_.Write(id, datagram.size(), random_, room);
  })};
}

EndpointVerdict QuicEndpoint::HandleInitial(const UdpPath& path, Ecn ecn,
                                            absl::Span<const uint8_t> datagram,
                                            DatagramOutbox& out) {
  ngtcp2_pkt_hd header;
  if (ngtcp2_accept(&header, datagram.data(), datagram.size()) != 0) {
    return EndpointVerdict::kNotQuic;
  }
  IncomingConnection incoming;
  incoming.version = QuicVersion(header.version);
  incoming.client = FromNgtcp2(header.scid);
  incoming.destination = FromNgtcp2(header.dcid);
  const PacketNames names{incoming.version, incoming.destination, incoming.client};
  const auto refuse = [&](EndpointVerdict verdict, uint64_t code) {
    return Answer(path, verdict, out,
                  [&](absl::Span<uint8_t> room) { return WriteRefusal(names, code, room); });
  };
  if (!accepting_) return refuse(EndpointVerdict::kRefusedClosing, kConnectionRefusedCode);

  const absl::Span<const uint8_t> token = absl::MakeConstSpan(header.token, header.tokenlen);
  const AddressTokens::Reading reading =
      tokens_.Read(now_, path.remote, incoming.destination, token);
  switch (reading.kind) {
    case AddressTokens::Kind::kRetry:
      incoming.original_destination = reading.original_destination;
      incoming.token = token;
      incoming.token_is_of_retry = true;
      break;
    case AddressTokens::Kind::kNewToken:
      incoming.token = token;
      break;
    case AddressTokens::Kind::kBadRetry:
      // Only who calls us as a Retry of ours said can have it from one (RFC 9000 section 8.1.3).
      if (incoming.destination.size() == kServerConnectionIdSize &&
          ThreadOf(incoming.destination) == options_.thread) {
        return refuse(EndpointVerdict::kInvalidToken, kInvalidTokenCode);
      }
      break;
    case AddressTokens::Kind::kNone:
      break;
  }

  const EndpointLimits& limits = options_.limits;
  if (connections_ >= limits.max_connections) {
    return refuse(EndpointVerdict::kRefusedFull, kConnectionRefusedCode);
  }
  const SourceShares::Share share = shares_.Of(path.remote);
  const bool proved = !incoming.token.empty();
  if (!proved && (half_open_ >= limits.retry_above_half_open ||
                  share.half_open >= limits.retry_above_half_open_per_source)) {
    return Answer(path, EndpointVerdict::kRetrySent, out, [&](absl::Span<uint8_t> room) {
      // Random: the chance that it is what the client called us, which it must not be, is none.
      const ConnectionId own = DrawServerConnectionId(options_.thread, random_);
      std::array<uint8_t, AddressTokens::kMaxSize> sealed;
      const size_t size =
          tokens_.WriteRetry(now_, path.remote, own, incoming.destination, absl::MakeSpan(sealed));
      return WriteRetry(names, own, absl::MakeConstSpan(sealed).first(size), room);
    });
  }
  if (share.connections >= limits.max_connections_per_source) {
    return refuse(EndpointVerdict::kRefusedSource, kConnectionRefusedCode);
  }
  if (half_open_ >= limits.max_half_open) {
    return refuse(EndpointVerdict::kRefusedHalfOpen, kConnectionRefusedCode);
  }
  return Accept(path, ecn, datagram, incoming, out);
}

EndpointVerdict QuicEndpoint::Answer(const UdpPath& path, EndpointVerdict verdict,
                                     DatagramOutbox& out,
                                     absl::FunctionRef<size_t(absl::Span<uint8_t>)> write) {
  if (std::find(kReflectingPorts.begin(), kReflectingPorts.end(), path.remote.port()) !=
      kReflectingPorts.end()) {
    return EndpointVerdict::kReflectingPort;
  }
  if (!budget_.Take(now_)) return EndpointVerdict::kAnswerLimited;
  const absl::Span<uint8_t> room = out.Reserve();
  const size_t size = room.empty() ? 0 : write(room);
  if (size == 0) return EndpointVerdict::kNoRoom;
  out.Commit(size, path, Ecn::kNotEct);
  return verdict;
}

// ---- Connections. ----

EndpointVerdict QuicEndpoint::Accept(const UdpPath& path, Ecn ecn,
                                     absl::Span<const uint8_t> datagram,
                                     const IncomingConnection& incoming, DatagramOutbox& out) {
  Place& place = places_[free_places_.back()];
  place.connection = QuicConnection::Accept(now_, path, incoming, tls_,
                                            {place, pool_, random_, connection_limits_});
  if (place.connection == nullptr) return EndpointVerdict::kNoRoom;
  free_places_.pop_back();
  // What the client calls us until it knows better.
  AddName(place, incoming.destination);
  place.source = path.remote;
  place.half_open = true;
  ++connections_;
  ++half_open_;
  shares_.Add(place.source);
  QuicConnection& connection = *place.connection;
  connection.HandleDatagram(now_, path, ecn, datagram, out);
  const bool dropped = connection.over();
  Settle(place, out);
  return dropped ? EndpointVerdict::kNotQuic : EndpointVerdict::kAccepted;
}

QuicEndpoint::Place* QuicEndpoint::Find(const ConnectionId& id) {
  const auto found = routes_.find(id);
  return found != routes_.end() ? &places_[found->second] : nullptr;
}

bool QuicEndpoint::AddName(Place& place, const ConnectionId& id) {
  if (place.name_count == kMaxNames || !routes_.emplace(id, place.index).second) {
    ++names_refused_;
    return false;
  }
  place.names[place.name_count++] = id;
  return true;
}

void QuicEndpoint::Settle(Place& place, const DatagramOutbox& out) {
  QuicConnection& connection = *place.connection;
  if (connection.over()) {
    Release(place);
    return;
  }
  if (place.half_open && connection.connected()) {
    place.half_open = false;
    --half_open_;
    shares_.Complete(place.source);
  }
  if (out.full()) place.Pend();
  deadlines_.Set(place.index, std::max(connection.NextTimeout(), now_ + kMinTimerStep));
}

void QuicEndpoint::Release(Place& place) {
  for (size_t i = 0; i < place.name_count; ++i) routes_.erase(place.names[i]);
  place.name_count = 0;
  place.connection.reset();
  shares_.Remove(place.source, place.half_open);
  if (place.half_open) --half_open_;
  place.half_open = false;
  --connections_;
  deadlines_.Set(place.index, Timestamp::PlusInfinity());
  // One that is pending is given back when that is looked at.
  if (!place.pending) free_places_.push_back(place.index);
}

void QuicEndpoint::HandleTimeouts(Timestamp now, DatagramOutbox& out) {
  now_ = std::max(now_, now);
  // In the order in which they came, so that nobody waits for ever while the outbox is small; what
  // comes in between is for the next time.
  const size_t count = pending_.size();
  size_t served = 0;
  while (served < count && !out.full()) {
    Place& place = places_[pending_[served++]];
    place.pending = false;
    if (place.connection == nullptr) {
      free_places_.push_back(place.index);
      continue;
    }
    place.connection->Flush(now_, out);
    Settle(place, out);
  }
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<ptrdiff_t>(served));
  // Each is due at most once: Settle puts it behind now_.
  while (!out.full() && deadlines_.Next() <= now_) {
    Place& place = places_[deadlines_.First()];
    place.connection->HandleTimeout(now_, out);
    Settle(place, out);
  }
}

Timestamp QuicEndpoint::NextTimeout() const {
  return pending_.empty() ? deadlines_.Next() : Timestamp::MinusInfinity();
}

void QuicEndpoint::Flush(Timestamp now, QuicConnection& connection, DatagramOutbox& out) {
  now_ = std::max(now_, now);
  connection.Flush(now_, out);
  Settle(static_cast<Place&>(connection.owner()), out);
}

void QuicEndpoint::Close(Timestamp now, QuicConnection& connection, uint64_t code,
                         DatagramOutbox& out) {
  now_ = std::max(now_, now);
  connection.Close(now_, code, out);
  Settle(static_cast<Place&>(connection.owner()), out);
}

bool QuicEndpoint::CloseSome(Timestamp now, uint64_t code, DatagramOutbox& out) {
  now_ = std::max(now_, now);
  for (; closing_at_ < options_.limits.max_connections; ++closing_at_) {
    Place& place = places_[closing_at_];
    if (place.connection == nullptr || place.connection->ended()) continue;
    if (out.full()) return false;
    place.connection->Close(now_, code, out);
    Settle(place, out);
  }
  closing_at_ = 0;
  return true;
}

// ---- What connections ask. ----

ConnectionHandler* QuicEndpoint::Place::HandlerFor(QuicConnection& c) {
  return endpoint->acceptor_.OnConnection(c);
}

ConnectionId QuicEndpoint::Place::NewConnectionId(QuicConnection& /*connection*/,
                                                  StatelessResetToken& token) {
  const ConnectionId id = DrawServerConnectionId(endpoint->options_.thread, endpoint->random_);
  token = endpoint->reset_.TokenOf(id);
  // A name that is not known here is one that the client had better not use: it gets a reset.
  static_cast<void>(endpoint->AddName(*this, id));
  return id;
}

void QuicEndpoint::Place::RetireConnectionId(QuicConnection& /*connection*/,
                                             const ConnectionId& id) {
  const auto end = names.begin() + static_cast<ptrdiff_t>(name_count);
  const auto found = std::find(names.begin(), end, id);
  if (found == end) return;
  endpoint->routes_.erase(id);
  *found = names[--name_count];
}

size_t QuicEndpoint::Place::NewToken(QuicConnection& c, absl::Span<uint8_t> out) {
  return endpoint->tokens_.WriteNewToken(endpoint->now_, c.path().remote, out);
}

}  // namespace sluice
