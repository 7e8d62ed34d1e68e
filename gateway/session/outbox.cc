#include "gateway/session/outbox.h"

#include <utility>

#include "base/check.h"

namespace sluice {

Outbox::Outbox(size_t max_packets, size_t max_events, size_t max_ended)
    : max_packets_(max_packets), events_(max_events), ended_(max_ended) {
  packets_.reserve(max_packets);
}

bool Outbox::PushPacket(OutgoingDatagram datagram) {
  if (packets_full()) {
    return false;
  }
  packets_.push_back(std::move(datagram));
  return true;
}

absl::Span<OutgoingDatagram> Outbox::packets() { return absl::MakeSpan(packets_); }

void Outbox::ClearPackets() { packets_.clear(); }

bool Outbox::packets_full() const { return packets_.size() == max_packets_; }

bool Outbox::PushEvent(const SessionEvent& event) {
  if (!events_.PushBack(event)) {
    ++events_dropped_;
    return false;
  }
  return true;
}

RingBuffer<SessionEvent>& Outbox::events() { return events_; }

uint64_t Outbox::events_dropped() const { return events_dropped_; }

bool Outbox::CanEnd() const { return !ended_.full(); }

void Outbox::PushEnded(std::unique_ptr<EndedSession> ended) {
  SLUICE_CHECK(ended_.PushBack(std::move(ended))) << "PushEnded without CanEnd";
}

RingBuffer<std::unique_ptr<EndedSession>>& Outbox::ended() { return ended_; }

}  // namespace sluice
