#ifndef INTERCEPTOR_RTCP_PLI_H_
#define INTERCEPTOR_RTCP_PLI_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "srtp/rtp_types.h"

namespace sluice {

// A decoder lost a picture: PLI (RFC 4585 section 6.3.1).
struct PictureLoss {
  Ssrc sender = Ssrc(0);
  Ssrc media = Ssrc(0);

  // nullopt unless `packet` is a PLI. It has no parameters; a longer one is taken for the two
  // SSRCs.
  static std::optional<PictureLoss> Parse(absl::Span<const uint8_t> packet);

  friend bool operator==(const PictureLoss&, const PictureLoss&) = default;
};

// Its size, or 0 when it does not fit.
size_t WritePictureLoss(const PictureLoss& loss, absl::Span<uint8_t> buffer);

}  // namespace sluice

#endif  // INTERCEPTOR_RTCP_PLI_H_
