#include "tools/ctl/demo/tone_meter.h"

#include <cmath>
#include <numbers>

namespace sluice {
namespace {

constexpr int kBlocksPerSecond = 10;
// Of the power of a block. A clean tone through Opus has above 0.99; noise spread over all
// frequencies has less than 0.01 at one of them.
constexpr double kToneShareMin = 0.5;
// Mean square, 50 dB below full scale: quieter is silence.
constexpr double kLoudEnough = 104.0 * 104.0;

}  // namespace

ToneMeter::ToneMeter(int sample_rate, int tone_hz)
    : block_size_(static_cast<size_t>(sample_rate / kBlocksPerSecond)),
      turn_(2 * std::numbers::pi * tone_hz / sample_rate) {
  block_.reserve(block_size_);
}

void ToneMeter::Add(absl::Span<const uint8_t> bytes) {
  for (const uint8_t byte : bytes) {
    if (has_low_byte_) AddSample(static_cast<int16_t>(byte << 8 | low_byte_));
    low_byte_ = byte;
    has_low_byte_ = !has_low_byte_;
  }
}

void ToneMeter::AddSample(int16_t sample) {
  ++samples_;
  block_.push_back(sample);
  if (block_.size() == block_size_) EndBlock();
}

// Goertzel's algorithm: one bin of a Fourier transform.
void ToneMeter::EndBlock() {
  const double coefficient = 2 * std::cos(turn_);
  double s1 = 0, s2 = 0, energy = 0;
  for (const double x : block_) {
    const double s0 = x + coefficient * s1 - s2;
    s2 = s1;
    s1 = s0;
    energy += x * x;
  }
  const double n = static_cast<double>(block_.size());
  const double bin = s1 * s1 + s2 * s2 - coefficient * s1 * s2;
  // 1 for a pure tone of this frequency.
  const double share = energy > 0 ? 2 * bin / (n * energy) : 0;
  ++blocks_;
  if (share >= kToneShareMin && energy / n >= kLoudEnough) ++blocks_with_tone_;
  block_.clear();
}

}  // namespace sluice
