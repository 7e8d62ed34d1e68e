#ifndef INTERCEPTOR_RTCP_REMB_H_
#define INTERCEPTOR_RTCP_REMB_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "base/data_rate.h"
#include "srtp/rtp_types.h"

namespace sluice {

// Eight bits count them (draft-alvestrand-rmcat-remb-03 section 2.2).
inline constexpr size_t kMaxRembSsrcs = 255;

// What the receiver believes its path carries: REMB (draft-alvestrand-rmcat-remb-03). The packet's
// media SSRC is unused. Points into the bytes it was parsed from.
class RembView {
 public:
  // nullopt unless `packet` is a REMB with as many SSRCs as it counts.
  static std::optional<RembView> Parse(absl::Span<const uint8_t> packet);

  // Whether an application layer feedback packet says that it is a REMB; others share its type and
  // format. Nothing else is proven.
  static bool IsRemb(absl::Span<const uint8_t> packet);

  Ssrc sender() const { return sender_; }
  // For all streams below together; infinite when the number exceeds 63 bits.
  DataRate limit() const { return limit_; }
  // 0..255.
  size_t ssrc_count() const { return ssrcs_.size() / 4; }
  // `i` < ssrc_count().
  Ssrc ssrc(size_t i) const;

 private:
  RembView(Ssrc sender, DataRate limit, absl::Span<const uint8_t> ssrcs)
      : sender_(sender), limit_(limit), ssrcs_(ssrcs) {}

  Ssrc sender_;
  DataRate limit_;
  absl::Span<const uint8_t> ssrcs_;
};

// Its size, or 0 when it does not fit, the limit is negative or there are more than kMaxRembSsrcs.
// A limit of more than 18 significant bits is rounded down.
size_t WriteRemb(Ssrc sender, DataRate limit, absl::Span<const Ssrc> ssrcs,
                 absl::Span<uint8_t> buffer);

}  // namespace sluice

#endif  // INTERCEPTOR_RTCP_REMB_H_
