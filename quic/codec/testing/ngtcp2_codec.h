#ifndef QUIC_CODEC_TESTING_NGTCP2_CODEC_H_
#define QUIC_CODEC_TESTING_NGTCP2_CODEC_H_

#include <ngtcp2/ngtcp2.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "quic/codec/transport_parameters.h"
#include "quic/codec/version_information.h"

namespace sluice {

// Our parameters in the struct of ngtcp2. What it has no member for, a reserved parameter, is left
// out.
class Ngtcp2Parameters {
 public:
  explicit Ngtcp2Parameters(const TransportParameters& parameters);
  Ngtcp2Parameters(const Ngtcp2Parameters&) = delete;
  Ngtcp2Parameters& operator=(const Ngtcp2Parameters&) = delete;

  const ngtcp2_transport_params& get() const { return params_; }

 private:
  ngtcp2_transport_params params_;
  // What params_.version_info points to.
  std::array<uint8_t, 4 * VersionInformation::kMaxAvailable> versions_;
};

// What the encoder of ngtcp2 makes of parameters.
std::vector<uint8_t> EncodeWithNgtcp2(const TransportParameters& parameters);

// What ngtcp2 makes of the bytes of `sender`, with numbers clamped as ours are; nothing when it
// refuses them. That is its decoder and the checks of its connection in our words, which stops the
// test when a real one judges a client otherwise. (A real one that has received no packet refuses
// every server.)
std::optional<TransportParameters> DecodeWithNgtcp2(absl::Span<const uint8_t> block,
                                                    Endpoint sender);

// How our decoder and that of ngtcp2 differ over a block in a way that is not intended; empty when
// they do not. Intended is, each for a reason of RFC 9000:
//
//  - We refuse duplicates (section 7.4) and more than kMaxUnknownParameters that we do not know.
//  - We read the length of a flag in any of its forms (section 16), it reads only the shortest.
//  - An idle timeout of more than 2^64 ns is long with us, and whatever is left with ngtcp2.
std::string UnintendedDifference(absl::Span<const uint8_t> block, Endpoint sender);

}  // namespace sluice

#endif  // QUIC_CODEC_TESTING_NGTCP2_CODEC_H_
