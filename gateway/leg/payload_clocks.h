#ifndef GATEWAY_LEG_PAYLOAD_CLOCKS_H_
#define GATEWAY_LEG_PAYLOAD_CLOCKS_H_

#include <array>
#include <cstdint>

#include "absl/types/span.h"
#include "gateway/leg/media_description.h"
#include "srtp/rtp_types.h"

namespace sluice {

// Hz, of payload types that neither signalling nor RFC 3551 knows: the rate of all video (RFC 3551
// section 5).
inline constexpr uint32_t kDefaultClockRate = 90'000;

// RTP clock rate of every payload type of a leg: as signalled, else as assigned statically by
// RFC 3551 section 6, else kDefaultClockRate. 512 bytes, no heap memory.
class PayloadClocks {
 public:
  // Payload types above 127 and rates of 0 are passed over; of a type listed twice the last counts.
  explicit PayloadClocks(absl::Span<const PayloadDescription> signalled);

  // Hz, never 0.
  uint32_t ClockRate(PayloadType payload_type) const { return rates_[payload_type.value() & 0x7F]; }

 private:
  std::array<uint32_t, 128> rates_;
};

}  // namespace sluice

#endif  // GATEWAY_LEG_PAYLOAD_CLOCKS_H_
