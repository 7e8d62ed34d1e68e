#include "gateway/control/stats_convert.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "gateway/control/session_convert.h"
#include "gateway/control/time_convert.h"
#include "gateway/leg/packet_verdict.h"

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;

void ToProto(const StreamSnapshot& stream, pb::StreamStats& out) {
  out.set_ssrc(stream.ssrc.value());
  out.set_direction(stream.direction == StreamDirection::kReceived ? pb::DIRECTION_RECEIVED
                                                                   : pb::DIRECTION_SENT);
  out.set_packets(stream.packets);
  out.set_payload_bytes(stream.payload_bytes);
  out.set_packets_lost(stream.packets_lost);
  out.set_jitter_us(static_cast<uint64_t>(std::max<int64_t>(stream.jitter.us(), 0)));
  out.set_extended_highest_sequence(stream.extended_highest_sequence);
  out.set_payload_type(stream.payload_type.value());
}

}  // namespace

void ToProto(const SessionSnapshot& snapshot, absl::Time sampled, pb::SessionStats& out) {
  out.set_session_id(snapshot.id);
  out.set_state(ToProto(snapshot.state));
  *out.mutable_sample_time() = ToProto(sampled);
  for (const LegSnapshot& leg : snapshot.legs) {
    ToProto(leg, *out.add_legs());
  }
}

void ToProto(const LegSnapshot& leg, pb::LegStats& out) {
  out.set_leg_id(leg.id);
  out.set_packets_received(leg.packets_received);
  out.set_bytes_received(leg.bytes_received);
  out.set_packets_sent(leg.packets_sent);
  out.set_bytes_sent(leg.bytes_sent);
  for (size_t i = 0; i < leg.verdicts.size(); ++i) {
    if (leg.verdicts[i] > 0) {
      pb::VerdictCount& count = *out.add_verdicts();
      count.set_verdict(std::string(VerdictName(static_cast<PacketVerdict>(i))));
      count.set_packets(leg.verdicts[i]);
    }
  }
  for (const StreamSnapshot& stream : leg.streams) {
    ToProto(stream, *out.add_streams());
  }
  if (leg.last_reject.has_value()) {
    out.set_last_reject(std::string(VerdictName(*leg.last_reject)));
  }
}

}  // namespace sluice
