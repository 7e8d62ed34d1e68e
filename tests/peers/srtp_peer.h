#ifndef TESTS_PEERS_SRTP_PEER_H_
#define TESTS_PEERS_SRTP_PEER_H_

#include <cstddef>

namespace sluice {

// One implementation of SRTP, or only of its arithmetic, for one stream under one master key: what
// a benchmark compares. Works in place on the packets of a PacketRing that it was made with and
// that outlives it; "slots" are `count` of these packets from `first` on. Packets are protected, or
// unprotected, once each in the order of their indices, as a stream's are.
//
// No call but the constructors allocates. One thread at a time.
class SrtpPeer {
 public:
  virtual ~SrtpPeer() = default;

  // Called once per lap with all packets plain, or all protected, before the first of them is dealt
  // with. What is not arithmetic is done here by peers that are nothing but arithmetic; the time is
  // not theirs.
  virtual void BeforeProtect() {}
  virtual void BeforeUnprotect() {}

  // In one call of the implementation where it takes several packets, in a loop where it takes one.
  // Whether all packets of the slots were protected, or were authentic and are plain again.
  [[nodiscard]] virtual bool Protect(size_t first, size_t count) = 0;
  [[nodiscard]] virtual bool Unprotect(size_t first, size_t count) = 0;
};

}  // namespace sluice

#endif  // TESTS_PEERS_SRTP_PEER_H_
