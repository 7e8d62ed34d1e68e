#include "quic/connection/testing/virtual_link.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "base/random_source.h"
#include "base/timestamp.h"
#include "quic/connection/datagram_outbox.h"
#include "quic/connection/udp_path.h"

namespace sluice {

VirtualLink::VirtualLink(LinkEnd client, LinkEnd server, RandomSource& random)
    : client_(std::move(client)), server_(std::move(server)), random_(random) {}

void VirtualLink::Collect(bool from_client) {
  DatagramOutbox& out = from_client ? *client_.out : *server_.out;
  for (const DatagramOutbox::Datagram& datagram : out.datagrams()) {
    if (tap) tap(from_client, datagram.bytes);
    const size_t index = sent_[from_client ? 0 : 1]++;
    if (!from_client) bytes_by_server_ += datagram.bytes.size();
    if (pass && !pass(from_client, index)) continue;
    if (random_.Below(1000) < lost_per_mille) continue;
    UnderWay u{now + delay,
               from_client,
               datagram.path,
               datagram.ecn,
               {datagram.bytes.begin(), datagram.bytes.end()}};
    if (random_.Below(1000) < damaged_per_mille) {
      u.bytes[random_.Below(u.bytes.size())] ^= static_cast<uint8_t>(1 + random_.Below(255));
    }
    under_way_.push_back(std::move(u));
  }
  out.Clear();
}

void VirtualLink::Deliver(UnderWay datagram) {
  // As the receiver sees both ends of it.
  UdpPath path{datagram.path.remote, datagram.path.local};
  if (datagram.from_client) {
    path.remote = client_seen_as;
    server_.receive(now, path, datagram.ecn, datagram.bytes);
  } else {
    // Through the NAT if it still has that mapping.
    if (datagram.path.remote != client_seen_as) return;
    path.local = UdpAddress::V4({10, 0, 0, 1}, 4000);
    client_.receive(now, path, datagram.ecn, datagram.bytes);
  }
}

void VirtualLink::RunUntil(Timestamp end, const std::function<bool()>& done) {
  while (true) {
    Collect(true);
    Collect(false);
    if (done && done()) return;
    Timestamp next = std::min(client_.next_timeout(), server_.next_timeout());
    if (!under_way_.empty()) next = std::min(next, under_way_.front().arrival);
    if (next > end) {
      if (end.IsFinite()) now = std::max(now, end);
      return;
    }
    now = std::max(now, next);
    if (!under_way_.empty() && under_way_.front().arrival <= now) {
      UnderWay datagram = std::move(under_way_.front());
      under_way_.pop_front();
      Deliver(std::move(datagram));
      continue;
    }
    if (client_.next_timeout() <= now) client_.timeout(now);
    if (server_.next_timeout() <= now) server_.timeout(now);
  }
}

}  // namespace sluice
