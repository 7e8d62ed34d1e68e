#include "interceptor/bwe/probe_rate.h"

#include <algorithm>

namespace sluice {
namespace {

// Of a probe's packets and bytes, how many must have arrived.
constexpr int64_t kArrivedPercent = 80;
// A probe that was sent or arrived over a longer time measured something else.
constexpr TimeDelta kMaxInterval = TimeDelta::Seconds(1);
// What arrives so much faster than it was sent was queued somewhere, and its rate is that queue's.
constexpr int64_t kMaxSpeedUp = 2;
// Arrives with less than this of the rate sent: the path is full, and some of it is for others.
constexpr int64_t kFullPercent = 90;
constexpr int64_t kUsablePercent = 95;

}  // namespace

void ProbeRate::Begin(const Probe& probe) {
  probes_[next_] = Measured{.probe = probe,
                            .packets = 0,
                            .size = DataSize::Zero(),
                            .last_sent_size = DataSize::Zero(),
                            .first_arrived_size = DataSize::Zero(),
                            .first_sent = Timestamp::PlusInfinity(),
                            .last_sent = Timestamp::MinusInfinity(),
                            .first_arrived = Timestamp::PlusInfinity(),
                            .last_arrived = Timestamp::MinusInfinity()};
  next_ = (next_ + 1) % kMaxProbes;
}

std::optional<DataRate> ProbeRate::Add(const PacketReport& packet) {
  for (std::optional<Measured>& entry : probes_) {
    if (!entry.has_value() || entry->probe.cluster != packet.probe_cluster) {
      continue;
    }
    ++entry->packets;
    entry->size += packet.size;
    entry->first_sent = std::min(entry->first_sent, packet.sent);
    if (packet.sent >= entry->last_sent) {
      entry->last_sent = packet.sent;
      entry->last_sent_size = packet.size;
    }
    if (packet.arrived < entry->first_arrived) {
      entry->first_arrived = packet.arrived;
      entry->first_arrived_size = packet.size;
    }
    entry->last_arrived = std::max(entry->last_arrived, packet.arrived);
    return RateOf(*entry);
  }
  return std::nullopt;
}

std::optional<DataRate> ProbeRate::RateOf(const Measured& measured) {
  const DataSize planned = measured.probe.rate * measured.probe.duration;
  if (measured.packets * 100 < kMinProbePackets * kArrivedPercent ||
      measured.size * 100 < planned * kArrivedPercent) {
    return std::nullopt;
  }
  const TimeDelta send_interval = measured.last_sent - measured.first_sent;
  const TimeDelta arrival_interval = measured.last_arrived - measured.first_arrived;
  if (send_interval <= TimeDelta::Zero() || send_interval > kMaxInterval ||
      arrival_interval <= TimeDelta::Zero() || arrival_interval > kMaxInterval) {
    return std::nullopt;
  }
  // The packet sent last took its time after the interval, the one that arrived first before it.
  const DataRate sent = (measured.size - measured.last_sent_size) / send_interval;
  const DataRate arrived = (measured.size - measured.first_arrived_size) / arrival_interval;
  if (arrived > sent * kMaxSpeedUp) {
    return std::nullopt;
  }
  if (arrived * 100 < sent * kFullPercent) {
    return DataRate::BitsPerSec((arrived * kUsablePercent).bps() / 100);
  }
  return std::min(sent, arrived);
}

}  // namespace sluice
