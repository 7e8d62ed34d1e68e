#ifndef TOOLS_CTL_DEMO_TONE_METER_H_
#define TOOLS_CTL_DEMO_TONE_METER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace sluice {

// Listens to decoded audio and says in how much of it a tone is really there: a receiver that plays
// silence, noise or its own voice has decoded something too.
class ToneMeter {
 public:
  // `tone_hz` is a multiple of 10, so that whole periods fit into a block of a tenth of a second.
  ToneMeter(int sample_rate, int tone_hz);

  // Signed 16-bit little endian mono, cut anywhere.
  void Add(absl::Span<const uint8_t> bytes);

  // Samples heard.
  uint64_t samples() const { return samples_; }
  // Whole tenths of a second heard, and how many of them were mostly the tone.
  uint64_t blocks() const { return blocks_; }
  uint64_t blocks_with_tone() const { return blocks_with_tone_; }

 private:
  void AddSample(int16_t sample);
  void EndBlock();

  const size_t block_size_;
  const double turn_;
  std::vector<double> block_;
  bool has_low_byte_ = false;
  uint8_t low_byte_ = 0;
  uint64_t samples_ = 0;
  uint64_t blocks_ = 0;
  uint64_t blocks_with_tone_ = 0;
};

}  // namespace sluice

#endif  // TOOLS_CTL_DEMO_TONE_METER_H_
