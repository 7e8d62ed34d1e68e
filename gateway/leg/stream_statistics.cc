#include "gateway/leg/stream_statistics.h"

#include <algorithm>

namespace sluice {

void StreamStatistics::OnPacket(Timestamp now, const RtpSummary& packet, uint32_t clock_rate) {
  ++packets_;
  payload_bytes_ += packet.payload_bytes;
  payload_type_ = packet.payload_type.value();
  CountSequence(packet.sequence);
  jitter_.Update(now, packet.timestamp, clock_rate);
  last_packet_ = now;
}

void StreamStatistics::CountSequence(SequenceNumber number) {
  const bool first = !sequence_.started();
  const int64_t highest = sequence_.highest();
  switch (sequence_.Record(number)) {
    case SequenceStep::kForward:
      if (first) {
        base_ = sequence_.last();
      }
      break;
    case SequenceStep::kBack:
      // The first packets may have overtaken each other too, which the appendix would count as a
      // negative loss for the rest of the call.
      base_ = std::min(base_, sequence_.last());
      break;
    case SequenceStep::kFar:
      return;
    case SequenceStep::kRestart:
      lost_before_ += LostUpTo(highest);
      base_ = sequence_.last();
      received_ = 0;
      jitter_.Restart();
      break;
  }
  ++received_;
}

int64_t StreamStatistics::LostUpTo(int64_t highest) const {
  return sequence_.started() ? highest - base_ + 1 - received_ : 0;
}

StreamSnapshot StreamStatistics::Snapshot(Ssrc ssrc, StreamDirection direction) const {
  StreamSnapshot snapshot;
  snapshot.ssrc = ssrc;
  snapshot.direction = direction;
  snapshot.packets = packets_;
  snapshot.payload_bytes = payload_bytes_;
  snapshot.extended_highest_sequence = static_cast<uint64_t>(sequence_.highest());
  snapshot.payload_type = PayloadType(payload_type_);
  if (direction == StreamDirection::kReceived) {
    snapshot.packets_lost = lost_before_ + LostUpTo(sequence_.highest());
    snapshot.jitter = jitter_.duration();
  }
  return snapshot;
}

}  // namespace sluice
