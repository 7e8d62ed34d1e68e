#ifndef INTERCEPTOR_INTERCEPTOR_KIND_H_
#define INTERCEPTOR_INTERCEPTOR_KIND_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace sluice {

// Every mechanism there is, and their order: the first is nearest to the wire. What comes in passes
// them from first to last, what goes out from last to first. This is the only place that says so;
// a chain sorts what it is given, and has at most one of each.
enum class InterceptorKind : uint8_t {
  // Sees exactly what is on the wire.
  kPacketLog,
  // Reads header extensions of incoming packets once, for all that follow.
  kExtensionReader,
  kStreamStatistics,
  // Numbers packets when they really go, behind pacer, repair and retransmissions, and logs them
  // when they came, in front of everything that holds or makes packets. Turns the peer's feedback
  // into a report.
  kTransportFeedback,
  // The same by RFC 8888.
  kCongestionFeedback,
  // Reads the report that one of the two made.
  kBandwidthEstimator,
  // Everything sent below waits here: media, retransmissions, parity.
  kPacer,
  // Counts media as the source numbered it: incoming before repair fills the gaps, outgoing with
  // the time of the source, not of the pacer.
  kReports,
  // In front of the NACK generator, so that what parity recovered is not asked for.
  kForwardErrorCorrection,
  // Makes retransmissions the original packets and asks for what is missing.
  kNackGenerator,
  // Remembers media as the application sent it; parity protects it afterwards.
  kNackResponder,
  // RFC 2198: outgoing packets are wrapped before they are remembered, incoming ones opened after
  // they are repaired.
  kRedundancy,
  kKeyFrameThrottle,
  // Gives incoming packets in order, when all repair had its chance.
  kJitterBuffer,
  // Makes room for the extensions that those below fill in, before parity and history copy the
  // header.
  kExtensionWriter,
};
inline constexpr size_t kInterceptorKindCount = 15;

// Lower snake case without the k, as used for counters and in the control API.
absl::string_view InterceptorKindName(InterceptorKind kind);

}  // namespace sluice

#endif  // INTERCEPTOR_INTERCEPTOR_KIND_H_
