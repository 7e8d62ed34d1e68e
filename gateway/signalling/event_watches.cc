#include "gateway/signalling/event_watches.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace sluice {
namespace {

namespace sig = ::sluice::signalling::v1;

// Events taken from the log at a time, and how often in a turn: a watcher that comes back must not
// keep the thread from its connections.
constexpr size_t kReadBatch = 64;
constexpr int kBatchesPerTurn = 8;

// Tokens between events. What is behind it is one look at a clock and at a set for each stream.
constexpr TimeDelta kTokenInterval = TimeDelta::Millis(200);

sig::WatchEventsResponse ToMessage(const gateway::v1::Event& event) {
  sig::WatchEventsResponse message;
  *message.mutable_event() = event;
  return message;
}

}  // namespace

EventWatches::Watch* EventWatches::Find(CallId id) {
  const auto found = watches_.find(id);
  return found == watches_.end() ? nullptr : &found->second;
}

grpc::Status EventWatches::Open(Timestamp now, CallId id, const ParticipantClaims& claims,
                                const sig::WatchEventsRequest& request) {
  std::optional<ParticipantWatch> watch;
  grpc::Status status = calls_.BeginWatch(claims, request, watch);
  if (!status.ok()) {
    return status;
  }
  if (watches_.empty()) {
    // Nobody was there for what came before.
    sequence_ = log_.latest();
  }
  by_session_[claims.session_id].push_back(id);
  watches_.emplace(id, Watch{*std::move(watch)});
  open_.store(watches_.size(), std::memory_order_relaxed);
  CatchUp(now, id);
  return grpc::Status::OK;
}

void EventWatches::Close(CallId id) {
  const auto found = watches_.find(id);
  if (found == watches_.end()) {
    return;
  }
  const auto session = by_session_.find(found->second.watch.claims.session_id);
  std::erase(session->second, id);
  if (session->second.empty()) {
    by_session_.erase(session);
  }
  watches_.erase(found);
  open_.store(watches_.size(), std::memory_order_relaxed);
}

void EventWatches::End(Timestamp now, CallId id, const grpc::Status& status) {
  Close(id);
  sink_.OnEnd(now, id, status);
}

void EventWatches::Resume(Timestamp now, CallId id) {
  Watch* watch = Find(id);
  if (watch != nullptr && watch->state == State::kBlocked) {
    watch->state = State::kReading;
    CatchUp(now, id);
  }
}

bool EventWatches::CheckToken(Timestamp now, CallId id) {
  const grpc::Status status = calls_.Recheck(Find(id)->watch.claims);
  if (!status.ok()) {
    End(now, id, status);
  }
  return status.ok();
}

bool EventWatches::Offer(Timestamp now, CallId id, const sig::WatchEventsResponse& message) {
  if (!CheckToken(now, id)) {
    return false;
  }
  const bool taken = sink_.OnEvent(now, id, message);
  // The sink may have closed it.
  Watch* watch = Find(id);
  if (watch != nullptr && !taken) {
    watch->state = State::kBlocked;
  }
  return watch != nullptr && taken;
}

bool EventWatches::OfferEvent(Timestamp now, CallId id, const gateway::v1::Event& event) {
  Watch* watch = Find(id);
  if (watch->watch.Wants(event)) {
    // Where it goes on when it is not taken.
    watch->watch.sequence = event.sequence() - 1;
    if (!Offer(now, id, ToMessage(event))) {
      return false;
    }
    if (event.has_session_ended()) {
      End(now, id, grpc::Status::OK);
      return false;
    }
    watch = Find(id);
  }
  watch->watch.sequence = event.sequence();
  return true;
}

void EventWatches::CatchUp(Timestamp now, CallId id) {
  Watch* watch = Find(id);
  if (!watch->begun) {
    const sig::WatchEventsResponse first = watch->watch.first;
    if (!Offer(now, id, first)) {
      return;
    }
    watch = Find(id);
    watch->begun = true;
  }
  for (int batch = 0; batch < kBatchesPerTurn; ++batch) {
    const absl::StatusOr<EventLog::Events> events =
        log_.Read(watch->watch.sequence, kReadBatch, absl::ZeroDuration());
    if (!events.ok()) {
      End(now, id, calls_.FailWatch(events.status()));
      return;
    }
    if (events->empty()) {
      watch->state = State::kCurrent;
      return;
    }
    for (const auto& event : *events) {
      if (!OfferEvent(now, id, *event)) {
        return;
      }
    }
    watch = Find(id);
  }
  reading_.push_back(id);
}

bool EventWatches::ReadForAll(Timestamp now) {
  for (int batch = 0; batch < kBatchesPerTurn; ++batch) {
    const absl::StatusOr<EventLog::Events> events =
        log_.Read(sequence_, kReadBatch, absl::ZeroDuration());
    if (!events.ok()) {
      // Closed, or this thread itself was too slow.
      LetAllRead();
      sequence_ = log_.latest();
      return false;
    }
    for (const auto& event : *events) {
      sequence_ = event->sequence();
      const auto session = by_session_.find(event->session_id());
      if (session == by_session_.end()) {
        continue;
      }
      // A copy: streams may end while they are given this.
      const std::vector<CallId> ids = session->second;
      for (const CallId id : ids) {
        const Watch* watch = Find(id);
        if (watch != nullptr && watch->state == State::kCurrent &&
            watch->watch.sequence < event->sequence()) {
          OfferEvent(now, id, *event);
        }
      }
    }
    if (events->size() < kReadBatch) {
      return false;
    }
  }
  return true;
}

void EventWatches::LetAllRead() {
  for (auto& [id, watch] : watches_) {
    if (watch.state == State::kCurrent) {
      watch.watch.sequence = std::max(watch.watch.sequence, sequence_);
      watch.state = State::kReading;
      reading_.push_back(id);
    }
  }
}

std::vector<CallId> EventWatches::Ids() const {
  std::vector<CallId> ids;
  ids.reserve(watches_.size());
  for (const auto& [id, watch] : watches_) {
    ids.push_back(id);
  }
  return ids;
}

void EventWatches::CheckTokens(Timestamp now) {
  if (now - tokens_checked_ < kTokenInterval) {
    return;
  }
  tokens_checked_ = now;
  for (const CallId id : Ids()) {
    if (Find(id) != nullptr) {
      CheckToken(now, id);
    }
  }
}

bool EventWatches::OnTurn(Timestamp now) {
  if (watches_.empty()) {
    reading_.clear();
    return false;
  }
  CheckTokens(now);
  bool more = ReadForAll(now);
  for (const CallId id : std::exchange(reading_, {})) {
    const Watch* watch = Find(id);
    if (watch != nullptr && watch->state == State::kReading) {
      CatchUp(now, id);
    }
  }
  more = more || !reading_.empty();
  return more;
}

}  // namespace sluice
