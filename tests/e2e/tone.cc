#include "tests/e2e/tone.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <numbers>

namespace sluice {

double ToneShare(absl::Span<const int16_t> samples, double frequency) {
  // The discrete Fourier transform at one frequency. By Parseval's theorem a sine of amplitude A
  // has the power A*A/2 and a bin of the size N*A/2.
  const double step = 2 * std::numbers::pi * frequency / kSampleRate;
  std::complex<double> bin = 0;
  double power = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    const double sample = samples[i];
    bin += std::polar(1.0, -step * static_cast<double>(i)) * sample;
    power += sample * sample;
  }
  if (power == 0) {
    return 0;
  }
  return 2 * std::norm(bin) / (static_cast<double>(samples.size()) * power);
}

int Peak(absl::Span<const int16_t> samples) {
  int peak = 0;
  for (const int16_t sample : samples) {
    peak = std::max(peak, std::abs(int{sample}));
  }
  return peak;
}

}  // namespace sluice
