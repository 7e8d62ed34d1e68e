#ifndef INTERCEPTOR_REPORT_CLOCK_RATES_H_
#define INTERCEPTOR_REPORT_CLOCK_RATES_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "interceptor/stream_info.h"
#include "srtp/rtp_types.h"

namespace sluice {

// The clock rate of each payload type of a stream, found without a search for every packet. A value
// of fixed size.
class ClockRates {
 public:
  // What is not known at all counts as video: RFC 3551 section 5.
  static constexpr uint32_t kDefaultRate = 90000;

  ClockRates() { rates_.fill(kDefaultRate); }
  // A payload type that was not negotiated has the rate of the first format.
  explicit ClockRates(const StreamInfo& info) {
    rates_.fill(info.format_count == 0 ? kDefaultRate : Usable(info.formats[0].clock_rate));
    for (size_t i = 0; i < info.format_count; ++i) {
      rates_[info.formats[i].payload_type.value() & kMask] = Usable(info.formats[i].clock_rate);
    }
  }

  // Hz, not 0.
  uint32_t RateOf(PayloadType payload_type) const { return rates_[payload_type.value() & kMask]; }

 private:
  // Seven bits (RFC 3550 section 5.1).
  static constexpr uint8_t kMask = 0x7F;

  static uint32_t Usable(uint32_t rate) { return rate == 0 ? kDefaultRate : rate; }

  std::array<uint32_t, kMask + 1> rates_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_REPORT_CLOCK_RATES_H_
