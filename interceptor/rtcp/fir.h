#ifndef INTERCEPTOR_RTCP_FIR_H_
#define INTERCEPTOR_RTCP_FIR_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "srtp/rtp_types.h"

namespace sluice {

// Whom a full intra request asks (RFC 5104 section 4.3.1.1).
struct FullIntraTarget {
  Ssrc ssrc = Ssrc(0);
  // Same number: same request, repeated.
  uint8_t sequence = 0;

  friend bool operator==(const FullIntraTarget&, const FullIntraTarget&) = default;
};

// Key frames are wanted: FIR (RFC 5104 section 4.3.1). The packet's media SSRC is unused and 0; who
// is meant stands in the targets. Points into the bytes it was parsed from.
class FullIntraRequestView {
 public:
  // nullopt unless `packet` is a FIR with at least one target and nothing else behind them.
  static std::optional<FullIntraRequestView> Parse(absl::Span<const uint8_t> packet);

  Ssrc sender() const { return sender_; }
  // At least 1.
  size_t target_count() const { return targets_.size() / kTargetSize; }
  // `i` < target_count().
  FullIntraTarget target(size_t i) const;

 private:
  // SSRC, sequence number, three reserved bytes.
  static constexpr size_t kTargetSize = 8;

  FullIntraRequestView(Ssrc sender, absl::Span<const uint8_t> targets)
      : sender_(sender), targets_(targets) {}

  Ssrc sender_;
  absl::Span<const uint8_t> targets_;
};

// Its size, or 0 when it does not fit or there is no target.
size_t WriteFullIntraRequest(Ssrc sender, absl::Span<const FullIntraTarget> targets,
                             absl::Span<uint8_t> buffer);

}  // namespace sluice

#endif  // INTERCEPTOR_RTCP_FIR_H_
