#include "gateway/control/stats_convert.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/data_rate.h"
#include "base/time_delta.h"
#include "gateway/control/session_convert.h"
#include "gateway/control/time_convert.h"
#include "gateway/leg/packet_verdict.h"

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;

// What was measured is not negative, unless a clock says so; the wire has no room for that.
uint64_t Microseconds(TimeDelta delta) {
  return static_cast<uint64_t>(std::max<int64_t>(delta.us(), 0));
}
uint64_t BitsPerSecond(DataRate rate) {
  return static_cast<uint64_t>(std::max<int64_t>(rate.bps(), 0));
}

void ToProto(const RoundTripSnapshot& round_trip, pb::RoundTrip& out) {
  if (round_trip.last.has_value()) {
    out.set_last_us(Microseconds(*round_trip.last));
  }
  out.set_total_us(Microseconds(round_trip.total));
  out.set_measurements(round_trip.measurements);
}

void ToProto(const RemoteReportSnapshot& report, pb::RemoteReport& out) {
  out.set_reports(report.reports);
  out.set_fraction_lost(report.fraction_lost);
  out.set_packets_lost(report.packets_lost);
  out.set_jitter_us(Microseconds(report.jitter));
  if (report.round_trip.measurements > 0) {
    ToProto(report.round_trip, *out.mutable_round_trip());
  }
}

void ToProto(const StreamFeedbackSnapshot& feedback, pb::StreamStats& out) {
  out.set_retransmitted_packets(feedback.retransmitted_packets);
  out.set_retransmitted_bytes(feedback.retransmitted_bytes);
  out.set_nacks(feedback.nacks);
  out.set_picture_loss_indications(feedback.picture_loss_indications);
  out.set_full_intra_requests(feedback.full_intra_requests);
  if (feedback.remote.has_value()) {
    ToProto(*feedback.remote, *out.mutable_remote());
  }
  if (feedback.mean_opinion_score.has_value()) {
    out.set_mean_opinion_score(*feedback.mean_opinion_score);
  }
}

void ToProto(const BandwidthSnapshot& bandwidth, pb::BandwidthEstimate& out) {
  out.set_target_bps(BitsPerSecond(bandwidth.target));
  out.set_delay_based_bps(BitsPerSecond(bandwidth.delay_based));
  out.set_loss_based_bps(BitsPerSecond(bandwidth.loss_based));
  out.set_delivered_bps(BitsPerSecond(bandwidth.delivered.value_or(DataRate::Zero())));
  out.set_application_limited(bandwidth.application_limited);
}

// What the leg's interceptors know of the leg as a whole.
void ToProtoOfInterceptors(const LegSnapshot& leg, pb::LegStats& out) {
  for (const InterceptorCounter& counter : leg.interceptor_counters) {
    pb::InterceptorCounter& count = *out.add_interceptor_counters();
    count.set_interceptor(std::string(counter.interceptor));
    count.set_name(std::string(counter.name));
    count.set_value(counter.value);
  }
  if (leg.bandwidth.has_value()) {
    ToProto(*leg.bandwidth, *out.mutable_bandwidth());
  }
  if (leg.round_trip.has_value()) {
    ToProto(*leg.round_trip, *out.mutable_round_trip());
  }
}

void ToProto(const StreamSnapshot& stream, pb::StreamStats& out) {
  out.set_ssrc(stream.ssrc.value());
  out.set_direction(stream.direction == StreamDirection::kReceived ? pb::DIRECTION_RECEIVED
                                                                   : pb::DIRECTION_SENT);
  out.set_packets(stream.packets);
  out.set_payload_bytes(stream.payload_bytes);
  out.set_packets_lost(stream.packets_lost);
  out.set_jitter_us(Microseconds(stream.jitter));
  out.set_extended_highest_sequence(stream.extended_highest_sequence);
  out.set_payload_type(stream.payload_type.value());
  if (stream.feedback.has_value()) {
    ToProto(*stream.feedback, out);
  }
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
  ToProtoOfInterceptors(leg, out);
}

}  // namespace sluice
