#include "gateway/leg/chain_parts.h"

#include <utility>

#include "absl/status/statusor.h"
#include "interceptor/bwe/send_side_estimator.h"

namespace sluice {
namespace {

// Of a leg's jitter buffer, all streams together: half a second of 8 Mbit/s.
constexpr size_t kJitterBufferPackets = 512;
constexpr size_t kPacerPackets = 512;
// Parity that is being added up: that of one row for each stream.
constexpr size_t kParityPackets = 16;
constexpr size_t kPacerRetransmissions = 128;

// Takes what a Create call answered.
template <typename Kind>
absl::Status Keep(absl::StatusOr<std::unique_ptr<Kind>> made,
                  std::vector<std::unique_ptr<Interceptor>>& interceptors, Kind*& part) {
  if (!made.ok()) {
    return made.status();
  }
  part = made->get();
  interceptors.push_back(*std::move(made));
  return absl::OkStatus();
}

absl::Status MakeFeedback(const InterceptorOptions& options, const LegChainTraits& traits,
                          const ChainEnvironment& environment,
                          std::vector<std::unique_ptr<Interceptor>>& interceptors,
                          ChainParts& parts) {
  absl::Status status;
  if (options.transport_wide_feedback) {
    status.Update(Keep(
        TransportWideFeedback::Create({.sender = traits.sender, .max_streams = traits.max_streams}),
        interceptors, parts.transport_feedback));
  }
  if (options.congestion_control_feedback) {
    status.Update(Keep(CongestionFeedback::Create({.sender = traits.sender,
                                                   .ntp_origin = environment.ntp_origin,
                                                   .max_streams = traits.max_streams,
                                                   .max_ssrcs = 3 * traits.max_streams}),
                       interceptors, parts.congestion_feedback));
  }
  if (options.bandwidth_estimator) {
    status.Update(Keep(BandwidthEstimator::Create(SendSideEstimatorOptions()), interceptors,
                       parts.bandwidth_estimator));
  }
  if (options.key_frame_requests) {
    status.Update(
        Keep(KeyFrameThrottle::Create({.sender = traits.sender, .max_streams = traits.max_streams}),
             interceptors, parts.key_frames));
  }
  return status;
}

absl::Status MakeRepair(const InterceptorOptions& options, const LegChainTraits& traits,
                        const ChainEnvironment& environment,
                        std::vector<std::unique_ptr<Interceptor>>& interceptors,
                        ChainParts& parts) {
  absl::Status status;
  if (options.nack) {
    status.Update(
        Keep(NackGenerator::Create({.sender = traits.sender, .max_streams = traits.max_streams}),
             interceptors, parts.nack_generator));
    NackResponderOptions responder;
    responder.max_streams = traits.max_streams;
    responder.plain_retransmission = !traits.secure;
    status.Update(Keep(NackResponder::Create(responder, *environment.random), interceptors,
                       parts.nack_responder));
  }
  if (options.forward_error_correction) {
    ForwardErrorCorrectionOptions parity;
    parity.max_streams = traits.max_streams;
    status.Update(Keep(ForwardErrorCorrection::Create(parity, *environment.random), interceptors,
                       parts.parity));
  }
  if (options.redundancy) {
    RedundancyOptions redundancy;
    redundancy.max_streams = traits.max_streams;
    status.Update(Keep(Redundancy::Create(redundancy), interceptors, parts.redundancy));
  }
  return status;
}

absl::Status MakeHolders(const InterceptorOptions& options, const LegChainTraits& traits,
                         const ChainEnvironment& environment,
                         std::vector<std::unique_ptr<Interceptor>>& interceptors,
                         ChainParts& parts) {
  absl::Status status;
  if (options.pacer) {
    PacerOptions pacer;
    pacer.max_streams = traits.max_streams;
    pacer.queue = kPacerPackets;
    pacer.retransmission_queue = kPacerRetransmissions;
    status.Update(Keep(Pacer::Create(pacer, *environment.random), interceptors, parts.pacer));
  }
  if (options.jitter_buffer) {
    JitterBufferOptions jitter;
    jitter.max_streams = traits.max_streams;
    jitter.max_held = kJitterBufferPackets;
    status.Update(Keep(JitterBuffer::Create(jitter), interceptors, parts.jitter_buffer));
  }
  return status;
}

// What each takes with LegChain::kMaxStreams streams, rounded up; chain_parts_test measures it.
struct Size {
  bool InterceptorOptions::*option;
  size_t bytes;
};
constexpr size_t kKib = 1024;
constexpr Size kSizes[] = {
    {&InterceptorOptions::reports, 24 * kKib},
    {&InterceptorOptions::statistics, 28 * kKib},
    {&InterceptorOptions::nack, 432 * kKib},
    {&InterceptorOptions::transport_wide_feedback, 104 * kKib},
    {&InterceptorOptions::congestion_control_feedback, 336 * kKib},
    {&InterceptorOptions::bandwidth_estimator, 40 * kKib},
    {&InterceptorOptions::key_frame_requests, 8 * kKib},
    {&InterceptorOptions::pacer, 20 * kKib},
    {&InterceptorOptions::jitter_buffer, 484 * kKib},
    {&InterceptorOptions::forward_error_correction, 480 * kKib},
    {&InterceptorOptions::redundancy, 40 * kKib},
};
// The chain itself, its tables of streams, and the leg's copy of what was negotiated.
constexpr size_t kChainBytes = 24 * kKib;

}  // namespace

absl::Status MakeInterceptors(const InterceptorOptions& options, const LegChainTraits& traits,
                              const ChainEnvironment& environment,
                              std::vector<std::unique_ptr<Interceptor>>& interceptors,
                              ChainParts& parts) {
  absl::Status status;
  if (options.statistics) {
    status.Update(Keep(RtpStreamStats::Create({.max_streams = traits.max_streams}), interceptors,
                       parts.statistics));
  }
  if (options.reports) {
    ReporterOptions reporter;
    reporter.ssrc = traits.sender;
    reporter.max_streams = traits.max_streams;
    reporter.ntp_origin = environment.ntp_origin;
    status.Update(
        Keep(Reporter::Create(reporter, *environment.random), interceptors, parts.reports));
  }
  status.Update(MakeFeedback(options, traits, environment, interceptors, parts));
  status.Update(MakeRepair(options, traits, environment, interceptors, parts));
  status.Update(MakeHolders(options, traits, environment, interceptors, parts));
  if (options.packet_log && traits.packet_log != nullptr) {
    auto log = std::make_unique<PacketLog>(*traits.packet_log);
    parts.packet_log = log.get();
    interceptors.push_back(std::move(log));
  }
  return status;
}

size_t InterceptorBytes(const InterceptorOptions& options) {
  size_t bytes = options.any() ? kChainBytes : 0;
  for (const Size& size : kSizes) {
    bytes += options.*size.option ? size.bytes : 0;
  }
  return bytes;
}

size_t InterceptorHeldPackets(const InterceptorOptions& options) {
  return (options.pacer ? kPacerPackets + kPacerRetransmissions : 0) +
         (options.jitter_buffer ? kJitterBufferPackets : 0) +
         (options.forward_error_correction ? kParityPackets : 0);
}

}  // namespace sluice
