#ifndef INTERCEPTOR_TWCC_REFERENCE_TIME_H_
#define INTERCEPTOR_TWCC_REFERENCE_TIME_H_

#include <cstdint>
#include <optional>

#include "base/timestamp.h"
#include "interceptor/rtcp/transport_feedback.h"

namespace sluice {

// The peer's clock as its feedback shows it: 24 bits of 64 ms, which wrap every twelve days. The
// draft calls them signed, libwebrtc unsigned; counted modulo 2^24 and placed nearest to the last
// one, both are the same.
class ReferenceTime {
 public:
  // `reference` has 24 bits. The first one stands for itself.
  Timestamp Unwrap(uint32_t reference) {
    constexpr uint32_t kRange = 1u << 24;
    if (!last_.has_value()) {
      last_ = reference;
    } else {
      const uint32_t forward = (reference - static_cast<uint32_t>(*last_)) & (kRange - 1);
      *last_ += forward < kRange / 2 ? int64_t{forward} : int64_t{forward} - kRange;
    }
    return Timestamp::Zero() + kTransportReferenceUnit * *last_;
  }

 private:
  std::optional<int64_t> last_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_TWCC_REFERENCE_TIME_H_
