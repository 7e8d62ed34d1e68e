#include "quic/server/served_connections.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "base/check.h"
#include "quic/server/quic_endpoint.h"

namespace sluice {

ServedConnections::ServedConnections(const Options& options, Timestamp& now)
    : protocols_(options.protocols),
      works_(options.works),
      capacity_(options.capacity),
      fruitless_per_second_(options.fruitless_per_second),
      now_(now),
      places_(std::make_unique<Place[]>(options.capacity)),
      deadlines_(options.capacity) {
  SLUICE_CHECK(!protocols_.empty() && protocols_.size() <= ServedCounters::kMaxProtocols);
  counters_.protocol_count = protocols_.size();
  for (size_t i = 0; i < protocols_.size(); ++i) {
    counters_.protocols[i].name = protocols_[i]->name();
  }
  free_places_.reserve(capacity_);
  touched_.reserve(capacity_);
  settling_.reserve(capacity_);
  for (uint32_t i = 0; i < capacity_; ++i) {
    places_[i].owner = this;
    places_[i].index = i;
    // The first one is given first.
    free_places_.push_back(capacity_ - 1 - i);
  }
  published_.Publish(counters_);
}

ServedConnections::~ServedConnections() = default;

// ---- What happens to a connection. ----

void ServedConnections::Place::OnTouched() {
  if (touched) return;
  touched = true;
  owner->touched_.push_back(index);
}

void ServedConnections::Place::OnConnected() {
  OnTouched();
  served->OnConnected();
}

void ServedConnections::Place::OnStreamOpened(StreamId id) {
  OnTouched();
  served->OnStreamOpened(id);
}

void ServedConnections::Place::OnStreamData(StreamId id, absl::Span<const uint8_t> data, bool fin,
                                            bool early) {
  OnTouched();
  served->OnStreamData(id, data, fin, early);
}

void ServedConnections::Place::OnStreamReset(StreamId id, uint64_t code) {
  OnTouched();
  served->OnStreamReset(id, code);
}

void ServedConnections::Place::OnStopSending(StreamId id) {
  OnTouched();
  served->OnStopSending(id);
}

void ServedConnections::Place::OnWritable(StreamId id) {
  OnTouched();
  served->OnWritable(id);
}

void ServedConnections::Place::OnStreamClosed(StreamId id) {
  OnTouched();
  served->OnStreamClosed(id);
}

void ServedConnections::Place::OnClosed(const CloseReason& reason) {
  OnTouched();
  connection = nullptr;
  --owner->counters_.connections;
  ++owner->counters_.protocols[protocol].ended[static_cast<size_t>(reason.cause)];
  served->OnClosed(reason);
}

ConnectionHandler* ServedConnections::OnConnection(QuicConnection& connection) {
  const auto found =
      std::find_if(protocols_.begin(), protocols_.end(), [&](const ConnectionProtocol* protocol) {
        return protocol->name() == connection.protocol();
      });
  if (found == protocols_.end()) {
    ++counters_.unknown_protocol;
    return nullptr;
  }
  const auto protocol = static_cast<uint32_t>(found - protocols_.begin());
  // The endpoint has given places away again whose connections ended in this very turn.
  if (free_places_.empty()) FreeEnded();
  if (free_places_.empty()) {
    ++counters_.protocols[protocol].refused;
    return nullptr;
  }
  std::unique_ptr<ServedConnection> served = (*found)->Serve(connection);
  if (served == nullptr) {
    ++counters_.protocols[protocol].refused;
    return nullptr;
  }
  Place& place = places_[free_places_.back()];
  free_places_.pop_back();
  place.protocol = protocol;
  place.served = std::move(served);
  place.connection = &connection;
  place.overloading = false;
  place.fruitless = 0;
  place.budget = RateBudget(now_, fruitless_per_second_);
  place.served->set_keeper(&place);
  ++counters_.protocols[protocol].accepted;
  ++counters_.connections;
  if (draining_) place.served->Drain();
  place.OnTouched();
  return &place;
}

// ---- Turns. ----

void ServedConnections::BeginTurn(Timestamp now) { now_ = std::max(now_, now); }

void ServedConnections::EndTurn(const ListenerTurn& turn) {
  for (TurnWork* const work : works_) work->OnTurn(now_);
  HandleTimeouts(now_);
  // What comes in between is for the next turn, so that one ends.
  settling_.swap(touched_);
  for (const uint32_t index : settling_) {
    places_[index].touched = false;
    Settle(turn, places_[index]);
  }
  settling_.clear();
  published_.Publish(counters_);
  for (ConnectionProtocol* const protocol : protocols_) protocol->OnTurnEnd();
}

Timestamp ServedConnections::NextTimeout() const {
  return touched_.empty() ? deadlines_.Next() : Timestamp::MinusInfinity();
}

void ServedConnections::HandleTimeouts(Timestamp now) {
  // Each at most once: it has no deadline again before it is settled.
  while (deadlines_.Next() <= now) {
    Place& place = places_[deadlines_.First()];
    deadlines_.Set(place.index, Timestamp::PlusInfinity());
    place.OnTouched();
    ++counters_.timeouts;
    place.served->HandleTimeout(now);
  }
}

void ServedConnections::Settle(const ListenerTurn& turn, Place& place) {
  ++counters_.visits;
  // Was freed before its turn came, or has its end behind it.
  if (place.served == nullptr) return;
  if (place.connection == nullptr) return Free(place);
  place.unsent |= place.served->TakeUnsent();
  if (place.unsent) {
    if (turn.out.full()) return Postpone(place);
    place.unsent = false;
    turn.endpoint.Flush(now_, *place.connection, turn.out);
    // That was its end, perhaps: it is touched, and goes in the next turn.
    if (place.connection == nullptr) return;
  }
  if (const std::optional<uint64_t> failure = place.served->failure(); failure.has_value()) {
    if (turn.out.full()) return Postpone(place);
    ++counters_.broken;
    return Close(turn, place, *failure);
  }
  if (Overloads(place)) {
    if (turn.out.full()) return Postpone(place);
    ++counters_.overloading;
    return Close(turn, place, place.served->excessive_load());
  }
  if (draining_ && place.served->drained()) {
    if (turn.out.full()) return Postpone(place);
    ++counters_.drained;
    return Close(turn, place, NoError(place));
  }
  deadlines_.Set(place.index, place.served->NextTimeout());
}

bool ServedConnections::Overloads(Place& place) {
  const uint64_t fruitless = place.served->fruitless_streams();
  // As many steps as streams ended since the last time, which is at most those of a turn.
  for (; !place.overloading && place.fruitless < fruitless; ++place.fruitless) {
    place.overloading = !place.budget.Take(now_);
  }
  return place.overloading;
}

void ServedConnections::Postpone(Place& place) {
  ++counters_.postponed;
  place.OnTouched();
}

void ServedConnections::Free(Place& place) {
  place.served.reset();
  place.unsent = false;
  deadlines_.Set(place.index, Timestamp::PlusInfinity());
  free_places_.push_back(place.index);
}

void ServedConnections::FreeEnded() {
  for (const uint32_t index : touched_) {
    Place& place = places_[index];
    if (place.served != nullptr && place.connection == nullptr) Free(place);
  }
}

// ---- The end. ----

void ServedConnections::Drain() {
  if (draining_) return;
  draining_ = true;
  for (uint32_t i = 0; i < capacity_; ++i) {
    Place& place = places_[i];
    if (place.connection == nullptr) continue;
    place.served->Drain();
    place.OnTouched();
  }
}

void ServedConnections::Close(const ListenerTurn& turn, Place& place, uint64_t code) {
  turn.endpoint.Close(now_, *place.connection, code, turn.out);
}

bool ServedConnections::CloseSome(const ListenerTurn& turn) {
  for (; closing_at_ < capacity_; ++closing_at_) {
    Place& place = places_[closing_at_];
    if (place.connection == nullptr) continue;
    if (turn.out.full()) return false;
    Close(turn, place, NoError(place));
  }
  closing_at_ = 0;
  return true;
}

}  // namespace sluice
