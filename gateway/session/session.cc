#include "gateway/session/session.h"

#include <utility>

namespace sluice {

Session::Session(Timestamp now, SessionSpec spec)
    : id_(std::move(spec.id)),
      timeouts_(spec.timeouts),
      labels_(std::move(spec.labels)),
      created_(now),
      quiet_since_(now) {}

void Session::Update(const SessionUpdate& update) {
  timeouts_.idle = update.idle.value_or(timeouts_.idle);
  timeouts_.offer = update.offer.value_or(timeouts_.offer);
  timeouts_.absolute = update.absolute.value_or(timeouts_.absolute);
  timeouts_.hold = update.hold.value_or(timeouts_.hold);
  if (update.labels.has_value()) {
    labels_ = *update.labels;
  }
}

bool Session::OnAccepted(Timestamp now, bool media) {
  quiet_since_ = now;
  return media && !std::exchange(active_, true);
}

void Session::SetAllOnHold(Timestamp now, bool all_on_hold) {
  if (all_on_hold != all_on_hold_) {
    all_on_hold_ = all_on_hold;
    quiet_since_ = now;
  }
}

Session::Deadline Session::NextDeadline() const {
  Deadline next{created_ + timeouts_.offer, EndReason::kOfferTimeout};
  if (active_ && all_on_hold_) {
    next = {quiet_since_ + timeouts_.hold, EndReason::kHoldTimeout};
  } else if (active_) {
    next = {quiet_since_ + timeouts_.idle, EndReason::kIdleTimeout};
  }
  if (const Timestamp end = created_ + timeouts_.absolute; end <= next.at) {
    next = {end, EndReason::kAbsoluteTimeout};
  }
  return next;
}

SessionSnapshot Session::Snapshot(Timestamp now) const {
  SessionSnapshot snapshot;
  snapshot.id = id_;
  snapshot.state = active_ ? SessionState::kActive : SessionState::kOffered;
  snapshot.timeouts = timeouts_;
  snapshot.labels = labels_;
  snapshot.created = created_;
  snapshot.sampled = now;
  return snapshot;
}

}  // namespace sluice
