#ifndef GATEWAY_LEG_CHAIN_PARTS_H_
#define GATEWAY_LEG_CHAIN_PARTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "base/random_source.h"
#include "gateway/leg/interceptor_options.h"
#include "interceptor/bwe/bandwidth_estimator.h"
#include "interceptor/ccfb/congestion_feedback.h"
#include "interceptor/fec/forward_error_correction.h"
#include "interceptor/interceptor.h"
#include "interceptor/jitter/jitter_buffer.h"
#include "interceptor/keyframe/key_frame_throttle.h"
#include "interceptor/nack/nack_generator.h"
#include "interceptor/nack/nack_responder.h"
#include "interceptor/pacer/pacer.h"
#include "interceptor/packet_log/packet_log.h"
#include "interceptor/packet_log/packet_log_ring.h"
#include "interceptor/red/redundancy.h"
#include "interceptor/report/reporter.h"
#include "interceptor/stats/rtp_stream_stats.h"
#include "interceptor/twcc/transport_wide_feedback.h"
#include "srtp/rtp_types.h"

namespace sluice {

// What the chains of a process have in common.
struct ChainEnvironment {
  // SSRCs, names, and where sequence numbers begin. Outlives all chains.
  RandomSource* random = nullptr;
  // NTP time of Timestamp::Zero(), seconds since 1900 in 32.32 bits.
  uint64_t ntp_origin = 0;
};

// What is common to the interceptors of one leg.
struct LegChainTraits {
  // The leg's packets are SRTP.
  bool secure = false;
  // Who speaks where no stream of ours does.
  Ssrc sender = Ssrc(0);
  size_t max_streams = 0;
  // Where the packet log goes, if there is one; outlives the interceptors.
  PacketLogRing* packet_log = nullptr;
};

// The interceptors of a leg by their types. Null: the leg has none of that kind.
struct ChainParts {
  RtpStreamStats* statistics = nullptr;
  Reporter* reports = nullptr;
  NackGenerator* nack_generator = nullptr;
  NackResponder* nack_responder = nullptr;
  TransportWideFeedback* transport_feedback = nullptr;
  CongestionFeedback* congestion_feedback = nullptr;
  BandwidthEstimator* bandwidth_estimator = nullptr;
  KeyFrameThrottle* key_frames = nullptr;
  Pacer* pacer = nullptr;
  JitterBuffer* jitter_buffer = nullptr;
  ForwardErrorCorrection* parity = nullptr;
  Redundancy* redundancy = nullptr;
  PacketLog* packet_log = nullptr;
};

// Makes what `options` ask for; `parts` points into `interceptors`.
absl::Status MakeInterceptors(const InterceptorOptions& options, const LegChainTraits& traits,
                              const ChainEnvironment& environment,
                              std::vector<std::unique_ptr<Interceptor>>& interceptors,
                              ChainParts& parts);

// No less than what interceptors with `options` take from the heap, the ring of a packet log apart,
// and packet slots that they keep
// longer than a batch, at most.
size_t InterceptorBytes(const InterceptorOptions& options);
size_t InterceptorHeldPackets(const InterceptorOptions& options);

}  // namespace sluice

#endif  // GATEWAY_LEG_CHAIN_PARTS_H_
