#ifndef TESTS_E2E_TONE_H_
#define TESTS_E2E_TONE_H_

#include <cstdint>

#include "absl/types/span.h"

namespace sluice {

// Samples per second of all audio in these tests: G.711 (RFC 3551 section 4.5.14).
inline constexpr int kSampleRate = 8000;

// Which part of the signal's power is a sine of `frequency` (Hz): 1 for the pure tone, about 0 for
// noise, 0 for silence.
double ToneShare(absl::Span<const int16_t> samples, double frequency);

// The loudest sample, 0..32768.
int Peak(absl::Span<const int16_t> samples);

}  // namespace sluice

#endif  // TESTS_E2E_TONE_H_
