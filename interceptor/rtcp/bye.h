#ifndef INTERCEPTOR_RTCP_BYE_H_
#define INTERCEPTOR_RTCP_BYE_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "srtp/rtp_types.h"

namespace sluice {

// Five bits count sources, eight the bytes of a reason (RFC 3550 section 6.6).
inline constexpr size_t kMaxByeSources = 31;
inline constexpr size_t kMaxByeReasonSize = 255;

// Sources that leave: BYE (RFC 3550 section 6.6). Points into the bytes it was parsed from.
class ByeView {
 public:
  // nullopt unless `packet` is a BYE with as many sources as it counts.
  static std::optional<ByeView> Parse(absl::Span<const uint8_t> packet);

  // 0..31.
  size_t source_count() const { return sources_.size() / 4; }
  // `i` < source_count().
  Ssrc source(size_t i) const;
  // Text from the peer, any bytes; empty when there is none or its length points past the packet.
  absl::Span<const uint8_t> reason() const { return reason_; }

 private:
  ByeView() = default;

  absl::Span<const uint8_t> sources_;
  absl::Span<const uint8_t> reason_;
};

// Writes a BYE, without reason when that is empty: its size, or 0 when it does not fit, there are
// more than kMaxByeSources or the reason is longer than kMaxByeReasonSize.
size_t WriteBye(absl::Span<const Ssrc> sources, absl::string_view reason,
                absl::Span<uint8_t> buffer);

}  // namespace sluice

#endif  // INTERCEPTOR_RTCP_BYE_H_
