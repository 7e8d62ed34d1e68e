#ifndef TESTS_SIM_LOSSY_LINK_H_
#define TESTS_SIM_LOSSY_LINK_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/random_source.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gateway/leg/leg_spec.h"
#include "gateway/net/transport_address.h"

namespace sluice {

// A datagram on its way to the gateway.
struct LinkDatagram {
  Component component = Component::kRtp;
  TransportAddress source;
  std::vector<uint8_t> bytes;
};

struct LossyLinkOptions {
  // Of a thousand datagrams.
  uint64_t lost_permille = 0;
  uint64_t duplicated_permille = 0;
  // Each datagram takes a time of its own up to this, so that they overtake each other.
  TimeDelta delay_max = TimeDelta::Zero();
};

// One direction of a network path in virtual time: loses, duplicates and reorders, the same way for
// the same random numbers.
class LossyLink {
 public:
  // `random` outlives the link.
  LossyLink(const LossyLinkOptions& options, RandomSource& random)
      : options_(options), random_(random) {}

  void Send(Timestamp now, const LinkDatagram& datagram);
  // The next datagram that has arrived by `now`.
  std::optional<LinkDatagram> Receive(Timestamp now);

  size_t in_flight() const { return in_flight_.size(); }
  uint64_t lost() const { return lost_; }
  uint64_t duplicated() const { return duplicated_; }

 private:
  bool Happens(uint64_t permille) { return random_.Below(1000) < permille; }
  void Launch(Timestamp now, const LinkDatagram& datagram);

  const LossyLinkOptions options_;
  RandomSource& random_;
  // By arrival, and in order of sending where that is the same.
  std::multimap<Timestamp, LinkDatagram> in_flight_;
  uint64_t lost_ = 0;
  uint64_t duplicated_ = 0;
};

}  // namespace sluice

#endif  // TESTS_SIM_LOSSY_LINK_H_
