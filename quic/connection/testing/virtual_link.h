#ifndef QUIC_CONNECTION_TESTING_VIRTUAL_LINK_H_
#define QUIC_CONNECTION_TESTING_VIRTUAL_LINK_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "absl/types/span.h"
#include "base/random_source.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/connection/udp_path.h"

namespace sluice {

// Anything that takes datagrams and time and gives datagrams: a connection or an endpoint.
struct LinkEnd {
  std::function<void(Timestamp now, const UdpPath& path, Ecn ecn, absl::Span<const uint8_t> bytes)>
      receive;
  std::function<void(Timestamp now)> timeout;
  std::function<Timestamp()> next_timeout;
  DatagramOutbox* out = nullptr;
};

// What is between a client and a server, in virtual time: a delay, losses and damage by chance, and
// a NAT in front of the client whose mapping may change.
class VirtualLink {
 public:
  VirtualLink(LinkEnd client, LinkEnd server, RandomSource& random);

  // Sends what waits in outboxes and lets time pass, at most until `end`, or until nothing more is
  // going to happen. `done` ends it early.
  void RunUntil(Timestamp end, const std::function<bool()>& done = nullptr);
  void RunFor(TimeDelta time, const std::function<bool()>& done = nullptr) {
    RunUntil(now + time, done);
  }

  Timestamp now = Timestamp::Seconds(1'700'000'000);
  TimeDelta delay = TimeDelta::Millis(10);
  // Of 1000 datagrams, in each direction.
  uint64_t lost_per_mille = 0;
  uint64_t damaged_per_mille = 0;
  // How the client's address looks from the server; changes what is under way, too.
  UdpAddress client_seen_as = UdpAddress::V4({192, 0, 2, 1}, 5000);
  // Whether a datagram gets through, in addition to the above. `index` counts each direction.
  std::function<bool(bool from_client, size_t index)> pass;
  // Sees everything that is sent.
  std::function<void(bool from_client, absl::Span<const uint8_t> bytes)> tap;

  size_t sent_by_client() const { return sent_[0]; }
  size_t sent_by_server() const { return sent_[1]; }
  size_t bytes_by_server() const { return bytes_by_server_; }

 private:
  struct UnderWay {
    Timestamp arrival;
    bool from_client;
    UdpPath path;
    Ecn ecn;
    std::vector<uint8_t> bytes;
  };

  void Collect(bool from_client);
  void Deliver(UnderWay datagram);

  LinkEnd client_;
  LinkEnd server_;
  RandomSource& random_;
  std::deque<UnderWay> under_way_;
  size_t sent_[2] = {};
  size_t bytes_by_server_ = 0;
};

}  // namespace sluice

#endif  // QUIC_CONNECTION_TESTING_VIRTUAL_LINK_H_
