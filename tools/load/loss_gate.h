#ifndef TOOLS_LOAD_LOSS_GATE_H_
#define TOOLS_LOAD_LOSS_GATE_H_

#include <cstdint>

#include "absl/types/span.h"
#include "base/testing/seeded_random.h"

namespace sluice {

// What a datagram on a media port is, as far as losses go.
enum class RelayedKind : uint8_t {
  kRtp,
  kRtcp,
  // Neither by its first byte (RFC 7983 section 7): STUN, DTLS, anything.
  kOther,
};

// By the first two bytes, which SRTP and SRTCP leave readable.
RelayedKind ClassifyRelayed(absl::Span<const uint8_t> datagram);

struct LossGateOptions {
  // How many of a million packets are lost: 0..1000000.
  uint32_t lost_per_million = 0;
  // RTCP is lost as well; other datagrams never are.
  bool lose_rtcp = false;
  uint64_t seed = 1;
};

// Which packets of one direction are lost. Each alone, by chance; the same seed loses the same ones
// of a row of packets, whatever comes in between that cannot be lost.
class LossGate {
 public:
  explicit LossGate(const LossGateOptions& options) : options_(options), random_(options.seed) {}

  // Whether the next datagram, of this kind, is lost.
  bool Loses(RelayedKind kind);

 private:
  const LossGateOptions options_;
  SeededRandom random_;
};

}  // namespace sluice

#endif  // TOOLS_LOAD_LOSS_GATE_H_
