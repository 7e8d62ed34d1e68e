#include "gateway/leg/leg_streams.h"

namespace sluice {

bool LegStreams::OnPacket(Timestamp now, const RtpSummary& packet, uint32_t clock_rate) {
  const SsrcIndex::Result found = index_.Touch(packet.ssrc);
  StreamStatistics& stream = streams_[found.slot];
  bool announce = false;
  if (found.outcome != SsrcIndex::Outcome::kFound) {
    announce = now - stream.last_packet() >= kQuietBeforeReplaced;
    stream = StreamStatistics();
  }
  stream.OnPacket(now, packet, clock_rate);
  return announce;
}

void LegStreams::AppendTo(std::vector<StreamSnapshot>& snapshots) const {
  for (size_t slot = 0; slot < index_.size(); ++slot) {
    snapshots.push_back(streams_[slot].Snapshot(index_.ssrc(slot), direction_));
  }
}

}  // namespace sluice
