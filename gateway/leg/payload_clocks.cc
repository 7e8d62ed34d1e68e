#include "gateway/leg/payload_clocks.h"

namespace sluice {
namespace {

// RFC 3551 section 6, tables 4 and 5. Types that are not here are reserved, unassigned or dynamic.
constexpr struct {
  uint8_t payload_type;
  uint32_t clock_rate;
} kStaticTypes[] = {
    {0, 8'000},    // PCMU
    {3, 8'000},    // GSM
    {4, 8'000},    // G723
    {5, 8'000},    // DVI4
    {6, 16'000},   // DVI4
    {7, 8'000},    // LPC
    {8, 8'000},    // PCMA
    {9, 8'000},    // G722, which samples at 16 kHz and counts at 8 (section 4.5.2)
    {10, 44'100},  // L16, two channels
    {11, 44'100},  // L16
    {12, 8'000},   // QCELP
    {13, 8'000},   // CN
    {14, 90'000},  // MPA
    {15, 8'000},   // G728
    {16, 11'025},  // DVI4
    {17, 22'050},  // DVI4
    {18, 8'000},   // G729
    {25, 90'000},  // CelB
    {26, 90'000},  // JPEG
    {28, 90'000},  // nv
    {31, 90'000},  // H261
    {32, 90'000},  // MPV
    {33, 90'000},  // MP2T
    {34, 90'000},  // H263
};

}  // namespace

PayloadClocks::PayloadClocks(absl::Span<const PayloadDescription> signalled) {
  rates_.fill(kDefaultClockRate);
  for (const auto& row : kStaticTypes) {
    rates_[row.payload_type] = row.clock_rate;
  }
  for (const PayloadDescription& clock : signalled) {
    if (clock.payload_type.value() < rates_.size() && clock.clock_rate != 0) {
      rates_[clock.payload_type.value()] = clock.clock_rate;
    }
  }
}

}  // namespace sluice
