#ifndef GATEWAY_LEG_INTERCEPTOR_OPTIONS_H_
#define GATEWAY_LEG_INTERCEPTOR_OPTIONS_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "gateway/leg/media_description.h"

namespace sluice {

// What becomes of a peer's RTCP.
enum class RtcpHandling : uint8_t {
  // It goes to where the media goes; the gateway adds nothing.
  kForward,
  // The gateway is the peer's RTCP partner (RFC 3550 section 7.1 would call it that of a mixer):
  // what
  // the peer sends ends here, and what it gets is made here.
  kTerminate,
};

// What a controller asks for; nullopt: what follows from the media description.
struct InterceptorConfig {
  std::optional<RtcpHandling> rtcp;
  bool reduced_size_rtcp = false;
  std::optional<bool> reports;
  std::optional<bool> statistics;
  std::optional<bool> nack;
  std::optional<bool> transport_wide_feedback;
  std::optional<bool> congestion_control_feedback;
  std::optional<bool> bandwidth_estimator;
  std::optional<bool> key_frame_requests;
  std::optional<bool> pacer;
  std::optional<bool> jitter_buffer;
  std::optional<bool> forward_error_correction;
  std::optional<bool> redundancy;
  std::optional<bool> packet_log;
};

// What is in force. By default nothing: packets pass.
struct InterceptorOptions {
  RtcpHandling rtcp = RtcpHandling::kForward;
  bool reduced_size_rtcp = false;
  bool reports = false;
  bool statistics = false;
  bool nack = false;
  bool transport_wide_feedback = false;
  bool congestion_control_feedback = false;
  bool bandwidth_estimator = false;
  bool key_frame_requests = false;
  bool pacer = false;
  bool jitter_buffer = false;
  bool forward_error_correction = false;
  bool redundancy = false;
  bool packet_log = false;

  // Whether there is anything for a chain to do.
  bool any() const;
  friend bool operator==(const InterceptorOptions&, const InterceptorOptions&) = default;
};

// InvalidArgument naming the field ("config.interceptors.nack") when something is asked for that
// was not negotiated, or that cannot work without what is switched off.
absl::StatusOr<InterceptorOptions> ResolveInterceptors(
    const InterceptorConfig& config, absl::Span<const PayloadDescription> payload_types,
    absl::Span<const HeaderExtension> extensions);

// URIs of header extensions that interceptors use.
inline constexpr char kTransportSequenceUri[] =
    "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01";
inline constexpr char kAudioLevelUri[] = "urn:ietf:params:rtp-hdrext:ssrc-audio-level";
inline constexpr char kMidUri[] = "urn:ietf:params:rtp-hdrext:sdes:mid";
inline constexpr char kRtpStreamIdUri[] = "urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id";
inline constexpr char kRepairedRtpStreamIdUri[] =
    "urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id";
inline constexpr char kAbsoluteSendTimeUri[] =
    "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time";

}  // namespace sluice

#endif  // GATEWAY_LEG_INTERCEPTOR_OPTIONS_H_
