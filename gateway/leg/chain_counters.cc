#include "gateway/leg/chain_counters.h"

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "interceptor/interceptor_kind.h"
#include "interceptor/stream_info.h"

namespace sluice {
namespace {

// A counter of an interceptor by its name in the control API.
template <typename Counters>
struct CounterRow {
  absl::string_view name;
  uint64_t Counters::*value;
};

constexpr CounterRow<PacketLogCounters> kLogIncoming[] = {
    {"incoming_logged", &PacketLogCounters::logged},
    {"incoming_cut", &PacketLogCounters::cut},
    {"incoming_dropped", &PacketLogCounters::dropped},
};
constexpr CounterRow<PacketLogCounters> kLogOutgoing[] = {
    {"outgoing_logged", &PacketLogCounters::logged},
    {"outgoing_cut", &PacketLogCounters::cut},
    {"outgoing_dropped", &PacketLogCounters::dropped},
};
constexpr CounterRow<RtpStreamStatsCounters> kStatistics[] = {
    {"unknown_ssrc", &RtpStreamStatsCounters::unknown_ssrc},
    {"round_trips_refused", &RtpStreamStatsCounters::round_trips_refused},
    {"malformed", &RtpStreamStatsCounters::malformed},
};
constexpr CounterRow<TransportWideFeedbackCounters> kTransportFeedback[] = {
    {"numbered", &TransportWideFeedbackCounters::numbered},
    {"unwritable", &TransportWideFeedbackCounters::unwritable},
    {"no_headroom", &TransportWideFeedbackCounters::no_headroom},
    {"unnumbered", &TransportWideFeedbackCounters::unnumbered},
    {"feedback_sent", &TransportWideFeedbackCounters::feedback_sent},
    {"feedback_dropped", &TransportWideFeedbackCounters::feedback_dropped},
    {"feedback_received", &TransportWideFeedbackCounters::feedback_received},
    {"malformed", &TransportWideFeedbackCounters::malformed},
    {"reports_dropped", &TransportWideFeedbackCounters::reports_dropped},
};
constexpr CounterRow<CongestionFeedbackCounters> kCongestionFeedback[] = {
    {"logged", &CongestionFeedbackCounters::logged},
    {"unplaced", &CongestionFeedbackCounters::unplaced},
    {"feedback_sent", &CongestionFeedbackCounters::feedback_sent},
    {"feedback_dropped", &CongestionFeedbackCounters::feedback_dropped},
    {"feedback_received", &CongestionFeedbackCounters::feedback_received},
    {"malformed", &CongestionFeedbackCounters::malformed},
    {"reports_dropped", &CongestionFeedbackCounters::reports_dropped},
};
constexpr CounterRow<PacerCounters> kPacer[] = {
    {"passed", &PacerCounters::passed},
    {"queued", &PacerCounters::queued},
    {"dropped_full", &PacerCounters::dropped_full},
    {"dropped_removed", &PacerCounters::dropped_removed},
    {"probe_packets", &PacerCounters::probe_packets},
    {"probe_packets_without_slot", &PacerCounters::probe_packets_without_slot},
};
constexpr CounterRow<ReporterCounters> kReports[] = {
    {"sender_reports_sent", &ReporterCounters::sender_reports_sent},
    {"receiver_reports_sent", &ReporterCounters::receiver_reports_sent},
    {"blocks_sent", &ReporterCounters::blocks_sent},
    {"reference_times_sent", &ReporterCounters::reference_times_sent},
    {"answers_sent", &ReporterCounters::answers_sent},
    {"reports_dropped", &ReporterCounters::reports_dropped},
    {"sender_reports_received", &ReporterCounters::sender_reports_received},
    {"receiver_reports_received", &ReporterCounters::receiver_reports_received},
    {"blocks_received", &ReporterCounters::blocks_received},
    {"reference_times_received", &ReporterCounters::reference_times_received},
    {"unknown_ssrc", &ReporterCounters::unknown_ssrc},
    {"round_trips", &ReporterCounters::round_trips},
    {"round_trips_refused", &ReporterCounters::round_trips_refused},
    {"reference_times_forgotten", &ReporterCounters::reference_times_forgotten},
    {"malformed", &ReporterCounters::malformed},
};
constexpr CounterRow<NackGeneratorCounters> kNackGenerator[] = {
    {"missing", &NackGeneratorCounters::missing},
    {"reordered", &NackGeneratorCounters::reordered},
    {"repaired", &NackGeneratorCounters::repaired},
    {"given_up", &NackGeneratorCounters::given_up},
    {"pushed_out", &NackGeneratorCounters::pushed_out},
    {"nacks_sent", &NackGeneratorCounters::nacks_sent},
    {"requests_sent", &NackGeneratorCounters::requests_sent},
    {"nacks_delayed", &NackGeneratorCounters::nacks_delayed},
    {"duplicates", &NackGeneratorCounters::duplicates},
    {"far", &NackGeneratorCounters::far},
    {"restarts", &NackGeneratorCounters::restarts},
    {"restored", &NackGeneratorCounters::restored},
    {"restored_duplicates", &NackGeneratorCounters::restored_duplicates},
    {"restored_far", &NackGeneratorCounters::restored_far},
    {"padding_only", &NackGeneratorCounters::padding_only},
    {"malformed", &NackGeneratorCounters::malformed},
};
constexpr CounterRow<NackResponderCounters> kNackResponder[] = {
    {"stored", &NackResponderCounters::stored},
    {"stored_duplicates", &NackResponderCounters::stored_duplicates},
    {"too_long", &NackResponderCounters::too_long},
    {"nacks_received", &NackResponderCounters::nacks_received},
    {"unknown_ssrc", &NackResponderCounters::unknown_ssrc},
    {"malformed", &NackResponderCounters::malformed},
    {"requests", &NackResponderCounters::requests},
    {"retransmitted", &NackResponderCounters::retransmitted},
    {"repeated_plain", &NackResponderCounters::repeated_plain},
    {"not_repeatable", &NackResponderCounters::not_repeatable},
    {"not_found", &NackResponderCounters::not_found},
    {"too_old", &NackResponderCounters::too_old},
    {"under_way", &NackResponderCounters::under_way},
    {"over_budget", &NackResponderCounters::over_budget},
    {"no_room", &NackResponderCounters::no_room},
    {"ignored", &NackResponderCounters::ignored},
};
constexpr CounterRow<KeyFrameThrottleCounters> kKeyFrames[] = {
    {"needs", &KeyFrameThrottleCounters::needs},
    {"pli_sent", &KeyFrameThrottleCounters::pli_sent},
    {"fir_sent", &KeyFrameThrottleCounters::fir_sent},
    {"repeated", &KeyFrameThrottleCounters::repeated},
    {"coalesced", &KeyFrameThrottleCounters::coalesced},
    {"satisfied", &KeyFrameThrottleCounters::satisfied},
    {"ended_by_media", &KeyFrameThrottleCounters::ended_by_media},
    {"given_up", &KeyFrameThrottleCounters::given_up},
    {"unknown_stream", &KeyFrameThrottleCounters::unknown_stream},
    {"unsupported", &KeyFrameThrottleCounters::unsupported},
    {"dropped", &KeyFrameThrottleCounters::dropped},
    {"pli_received", &KeyFrameThrottleCounters::pli_received},
    {"fir_received", &KeyFrameThrottleCounters::fir_received},
    {"fir_repeated", &KeyFrameThrottleCounters::fir_repeated},
    {"unknown_target", &KeyFrameThrottleCounters::unknown_target},
    {"raised", &KeyFrameThrottleCounters::raised},
    {"raised_coalesced", &KeyFrameThrottleCounters::raised_coalesced},
    {"malformed", &KeyFrameThrottleCounters::malformed},
};
constexpr CounterRow<JitterBufferCounters> kJitterBuffer[] = {
    {"delivered", &JitterBufferCounters::delivered},
    {"missing", &JitterBufferCounters::missing},
    {"late", &JitterBufferCounters::late},
    {"duplicates", &JitterBufferCounters::duplicates},
    {"far", &JitterBufferCounters::far},
    {"padding_only", &JitterBufferCounters::padding_only},
    {"pushed_out", &JitterBufferCounters::pushed_out},
    {"restarts", &JitterBufferCounters::restarts},
    {"delivery_dropped", &JitterBufferCounters::delivery_dropped},
};
constexpr CounterRow<ParityEncoderCounters> kParityEncoder[] = {
    {"encoder_protected_packets", &ParityEncoderCounters::protected_packets},
    {"encoder_late", &ParityEncoderCounters::late},
    {"encoder_duplicates", &ParityEncoderCounters::duplicates},
    {"encoder_too_long", &ParityEncoderCounters::too_long},
    {"encoder_parity_sent", &ParityEncoderCounters::parity_sent},
    {"encoder_no_room", &ParityEncoderCounters::no_room},
    {"encoder_no_slot", &ParityEncoderCounters::no_slot},
};
constexpr CounterRow<ParityDecoderCounters> kParityDecoder[] = {
    {"decoder_media", &ParityDecoderCounters::media},
    {"decoder_media_too_long", &ParityDecoderCounters::media_too_long},
    {"decoder_already_recovered", &ParityDecoderCounters::already_recovered},
    {"decoder_parity", &ParityDecoderCounters::parity},
    {"decoder_malformed", &ParityDecoderCounters::malformed},
    {"decoder_unsupported", &ParityDecoderCounters::unsupported},
    {"decoder_foreign", &ParityDecoderCounters::foreign},
    {"decoder_far", &ParityDecoderCounters::far},
    {"decoder_parity_too_long", &ParityDecoderCounters::parity_too_long},
    {"decoder_padding_only", &ParityDecoderCounters::padding_only},
    {"decoder_recovered", &ParityDecoderCounters::recovered},
    {"decoder_unneeded", &ParityDecoderCounters::unneeded},
    {"decoder_evicted", &ParityDecoderCounters::evicted},
    {"decoder_expired", &ParityDecoderCounters::expired},
    {"decoder_recovered_malformed", &ParityDecoderCounters::recovered_malformed},
    {"decoder_no_slot", &ParityDecoderCounters::no_slot},
    {"decoder_no_room", &ParityDecoderCounters::no_room},
};
constexpr CounterRow<RedEncoderCounters> kRedEncoder[] = {
    {"encoder_wrapped", &RedEncoderCounters::wrapped},
    {"encoder_blocks", &RedEncoderCounters::blocks},
    {"encoder_other_format", &RedEncoderCounters::other_format},
    {"encoder_too_long", &RedEncoderCounters::too_long},
    {"encoder_not_repeatable", &RedEncoderCounters::not_repeatable},
    {"encoder_left_out", &RedEncoderCounters::left_out},
};
constexpr CounterRow<RedDecoderCounters> kRedDecoder[] = {
    {"decoder_opened", &RedDecoderCounters::opened},
    {"decoder_restored", &RedDecoderCounters::restored},
    {"decoder_malformed", &RedDecoderCounters::malformed},
    {"decoder_unknown_format", &RedDecoderCounters::unknown_format},
    {"decoder_duplicates", &RedDecoderCounters::duplicates},
    {"decoder_blocks_refused", &RedDecoderCounters::blocks_refused},
    {"decoder_no_slot", &RedDecoderCounters::no_slot},
    {"decoder_no_room", &RedDecoderCounters::no_room},
};

template <typename Counters, size_t kCount>
void AppendRows(InterceptorKind kind, const Counters& values,
                const CounterRow<Counters> (&rows)[kCount],
                std::vector<InterceptorCounter>& counters) {
  for (const CounterRow<Counters>& row : rows) {
    if (const uint64_t value = values.*row.value; value != 0) {
      counters.push_back({InterceptorKindName(kind), row.name, value});
    }
  }
}

// Nothing of an interceptor that is not there.
template <typename Part, typename Counters, size_t kCount>
void Append(InterceptorKind kind, const Part* part, const CounterRow<Counters> (&rows)[kCount],
            std::vector<InterceptorCounter>& counters) {
  if (part != nullptr) {
    AppendRows(kind, part->counters(), rows, counters);
  }
}

}  // namespace

void AppendCounters(const ChainParts& parts, std::vector<InterceptorCounter>& counters) {
  if (parts.packet_log != nullptr) {
    const PacketLogRing& ring = parts.packet_log->ring();
    AppendRows(InterceptorKind::kPacketLog, ring.counters(PacketDirection::kIncoming), kLogIncoming,
               counters);
    AppendRows(InterceptorKind::kPacketLog, ring.counters(PacketDirection::kOutgoing), kLogOutgoing,
               counters);
  }
  Append(InterceptorKind::kStreamStatistics, parts.statistics, kStatistics, counters);
  Append(InterceptorKind::kTransportFeedback, parts.transport_feedback, kTransportFeedback,
         counters);
  Append(InterceptorKind::kCongestionFeedback, parts.congestion_feedback, kCongestionFeedback,
         counters);
  Append(InterceptorKind::kPacer, parts.pacer, kPacer, counters);
  Append(InterceptorKind::kReports, parts.reports, kReports, counters);
  if (parts.parity != nullptr) {
    AppendRows(InterceptorKind::kForwardErrorCorrection, parts.parity->encoder_counters(),
               kParityEncoder, counters);
    AppendRows(InterceptorKind::kForwardErrorCorrection, parts.parity->decoder_counters(),
               kParityDecoder, counters);
  }
  Append(InterceptorKind::kNackGenerator, parts.nack_generator, kNackGenerator, counters);
  Append(InterceptorKind::kNackResponder, parts.nack_responder, kNackResponder, counters);
  if (parts.redundancy != nullptr) {
    AppendRows(InterceptorKind::kRedundancy, parts.redundancy->encoder_counters(), kRedEncoder,
               counters);
    AppendRows(InterceptorKind::kRedundancy, parts.redundancy->decoder_counters(), kRedDecoder,
               counters);
  }
  Append(InterceptorKind::kKeyFrameThrottle, parts.key_frames, kKeyFrames, counters);
  Append(InterceptorKind::kJitterBuffer, parts.jitter_buffer, kJitterBuffer, counters);
}

}  // namespace sluice
