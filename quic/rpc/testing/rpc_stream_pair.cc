#include "quic/rpc/testing/rpc_stream_pair.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"

namespace sluice {

size_t RpcStreamPair::ClientEnd::Write(RpcStreamId id, absl::Span<const uint8_t> bytes, bool fin) {
  return pair_.Write(pair_.streams_.at(id).to_server, bytes, fin);
}
void RpcStreamPair::ClientEnd::Reset(RpcStreamId id, RpcErrorCode code) {
  RpcStreamPair::Reset(pair_.streams_.at(id).to_server, code);
}
void RpcStreamPair::ClientEnd::StopSending(RpcStreamId id, RpcErrorCode code) {
  pair_.streams_.at(id).to_client.stop = code;
}
std::optional<RpcStreamId> RpcStreamPair::ClientEnd::Open() {
  const RpcStreamId id = next_;
  next_ += 4;
  pair_.streams_[id];
  return id;
}

size_t RpcStreamPair::ServerEnd::Write(RpcStreamId id, absl::Span<const uint8_t> bytes, bool fin) {
  return pair_.Write(pair_.streams_.at(id).to_client, bytes, fin);
}
void RpcStreamPair::ServerEnd::Reset(RpcStreamId id, RpcErrorCode code) {
  RpcStreamPair::Reset(pair_.streams_.at(id).to_client, code);
}
void RpcStreamPair::ServerEnd::StopSending(RpcStreamId id, RpcErrorCode code) {
  pair_.streams_.at(id).to_server.stop = code;
}

void RpcStreamPair::Attach(RpcClient& client, RpcServer& server) {
  client_ = &client;
  server_ = &server;
}

size_t RpcStreamPair::Write(Direction& to, absl::Span<const uint8_t> bytes, bool fin) const {
  SLUICE_CHECK(!bytes.empty());
  SLUICE_CHECK(!to.fin) << "written behind the end";
  if (to.reset.has_value()) return 0;
  const size_t size = std::min(bytes.size(), window_ - to.bytes.size());
  to.bytes.insert(to.bytes.end(), bytes.begin(), bytes.begin() + size);
  to.fin = fin && size == bytes.size();
  to.blocked = size < bytes.size();
  return size;
}

// RFC 9000 section 3.1: no reset after everything has arrived.
void RpcStreamPair::Reset(Direction& to, RpcErrorCode code) {
  if (to.ended || to.reset.has_value()) return;
  to.reset = code;
  to.bytes.clear();
  to.fin = false;
  to.blocked = false;
}

bool RpcStreamPair::HasAnything(const Direction& direction) const {
  return direction.HasForReceiver() || (direction.stop.has_value() && !direction.stop_told) ||
         (direction.blocked && direction.bytes.size() < window_);
}

bool RpcStreamPair::TellSender(Timestamp now, RpcStreamId id, Direction& direction,
                               bool is_client) {
  if (direction.stop.has_value() && !direction.stop_told) {
    direction.stop_told = true;
    if (direction.ended) return true;
    // RFC 9000 section 3.5: STOP_SENDING is answered by a reset.
    Reset(direction, *direction.stop);
    if (is_client) {
      client_->OnStopSending(id);
    } else {
      server_->OnStopSending(id);
    }
    return true;
  }
  if (!direction.blocked || direction.bytes.size() >= window_) return false;
  direction.blocked = false;
  if (is_client) {
    client_->OnWritable(id);
  } else {
    server_->OnWritable(now, id);
  }
  return true;
}

void RpcStreamPair::DeliverToServer(Timestamp now, RpcStreamId id, Stream& stream, size_t size) {
  if (!std::exchange(stream.opened, true)) server_->OnStreamOpened(now, id);
  Direction& from = stream.to_server;
  if (!from.HasForReceiver()) return;
  if (from.reset.has_value()) {
    from.ended = true;
    return server_->OnStreamReset(id);
  }
  const std::vector<uint8_t> part(from.bytes.begin(),
                                  from.bytes.begin() + std::min(size, from.bytes.size()));
  from.bytes.erase(from.bytes.begin(), from.bytes.begin() + part.size());
  from.ended = from.fin && from.bytes.empty();
  server_->OnStreamData(now, id, part, from.ended, /*early=*/false);
}

void RpcStreamPair::DeliverToClient(RpcStreamId id, Stream& stream, size_t size) {
  Direction& from = stream.to_client;
  if (from.reset.has_value()) {
    from.ended = true;
    return client_->OnStreamReset(id, static_cast<uint64_t>(*from.reset));
  }
  const std::vector<uint8_t> part(from.bytes.begin(),
                                  from.bytes.begin() + std::min(size, from.bytes.size()));
  from.bytes.erase(from.bytes.begin(), from.bytes.begin() + part.size());
  from.ended = from.fin && from.bytes.empty();
  client_->OnStreamData(id, part, from.ended);
}

bool RpcStreamPair::Step(Timestamp now, RandomSource& random, size_t part) {
  std::vector<std::pair<RpcStreamId, bool>> choices;
  for (const auto& [id, stream] : streams_) {
    if (HasAnything(stream.to_server)) choices.emplace_back(id, true);
    if (HasAnything(stream.to_client) && !hold_answers_) choices.emplace_back(id, false);
  }
  if (choices.empty()) return false;
  const auto [id, to_server] = choices[random.Below(choices.size())];
  Stream& stream = streams_.at(id);
  Direction& direction = to_server ? stream.to_server : stream.to_client;
  if (TellSender(now, id, direction, /*is_client=*/to_server)) return true;
  const size_t size = random.Below(part) + 1;
  if (to_server) {
    DeliverToServer(now, id, stream, size);
  } else {
    DeliverToClient(id, stream, size);
  }
  return true;
}

void RpcStreamPair::Run(Timestamp now, RandomSource& random, size_t part) {
  while (Step(now, random, part)) {
  }
}

}  // namespace sluice
