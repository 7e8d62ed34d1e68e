#include "tools/ctl/traffic_rates.h"

#include <algorithm>

#include "base/data_size.h"
#include "base/time_delta.h"

namespace sluice {
namespace {

using ::sluice::gateway::v1::LegStats;
using ::sluice::gateway::v1::SessionStats;

TimeDelta Between(const SessionStats& before, const SessionStats& after) {
  const auto& a = before.sample_time();
  const auto& b = after.sample_time();
  return TimeDelta::Seconds(b.seconds() - a.seconds()) +
         TimeDelta::Micros((b.nanos() - a.nanos()) / 1000);
}

int64_t Growth(uint64_t before, uint64_t after) {
  return after > before ? static_cast<int64_t>(after - before) : 0;
}

int64_t PerSecond(int64_t count, TimeDelta window) {
  return (count * 1'000'000 + window.us() / 2) / window.us();
}

LegRates Compare(const LegStats& before, const LegStats& after, TimeDelta window) {
  LegRates rates;
  rates.packets_received_per_second =
      PerSecond(Growth(before.packets_received(), after.packets_received()), window);
  rates.packets_sent_per_second =
      PerSecond(Growth(before.packets_sent(), after.packets_sent()), window);
  rates.received =
      DataSize::Bytes(Growth(before.bytes_received(), after.bytes_received())) / window;
  rates.sent = DataSize::Bytes(Growth(before.bytes_sent(), after.bytes_sent())) / window;
  return rates;
}

}  // namespace

const std::map<std::string, LegRates>& TrafficRates::Update(const SessionStats& sample) {
  const TimeDelta window = Between(last_, sample);
  // The same sample twice says nothing new; keep what was known.
  if (last_.has_sample_time() && window == TimeDelta::Zero()) return rates_;
  rates_.clear();
  if (last_.has_sample_time() && window > TimeDelta::Zero()) {
    for (const LegStats& leg : sample.legs()) {
      const auto before =
          std::find_if(last_.legs().begin(), last_.legs().end(),
                       [&](const LegStats& l) { return l.leg_id() == leg.leg_id(); });
      if (before != last_.legs().end()) rates_[leg.leg_id()] = Compare(*before, leg, window);
    }
  }
  last_ = sample;
  return rates_;
}

}  // namespace sluice
