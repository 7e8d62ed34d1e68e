#include "tests/sim/lossy_link.h"

namespace sluice {

void LossyLink::Send(Timestamp now, const LinkDatagram& datagram) {
  if (Happens(options_.lost_permille)) {
    ++lost_;
    return;
  }
  Launch(now, datagram);
  if (Happens(options_.duplicated_permille)) {
    ++duplicated_;
    Launch(now, datagram);
  }
}

void LossyLink::Launch(Timestamp now, const LinkDatagram& datagram) {
  const auto delay = random_.Below(static_cast<uint64_t>(options_.delay_max.us()) + 1);
  in_flight_.emplace(now + TimeDelta::Micros(static_cast<int64_t>(delay)), datagram);
}

std::optional<LinkDatagram> LossyLink::Receive(Timestamp now) {
  if (in_flight_.empty() || in_flight_.begin()->first > now) {
    return std::nullopt;
  }
  LinkDatagram datagram = std::move(in_flight_.begin()->second);
  in_flight_.erase(in_flight_.begin());
  return datagram;
}

}  // namespace sluice
