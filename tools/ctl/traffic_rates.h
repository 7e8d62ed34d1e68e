#ifndef TOOLS_CTL_TRAFFIC_RATES_H_
#define TOOLS_CTL_TRAFFIC_RATES_H_

#include <cstdint>
#include <map>
#include <string>

#include "base/data_rate.h"
#include "proto/gateway/v1/stats.pb.h"

namespace sluice {

// How fast one leg's counters move.
struct LegRates {
  int64_t packets_received_per_second = 0;
  int64_t packets_sent_per_second = 0;
  DataRate received = DataRate::Zero();
  DataRate sent = DataRate::Zero();
};

// Turns two samples of a session's counters into rates. Knows no clock: the samples carry the time
// at which the gateway took them, so a slow answer does not look like slow media.
class TrafficRates {
 public:
  // Takes the next sample and returns the rates since the one before, by leg id. Legs that are new,
  // and everything in the first sample, have no rates yet. Counters that went back give zero.
  const std::map<std::string, LegRates>& Update(const gateway::v1::SessionStats& sample);

  const std::map<std::string, LegRates>& rates() const { return rates_; }

 private:
  gateway::v1::SessionStats last_;
  std::map<std::string, LegRates> rates_;
};

}  // namespace sluice

#endif  // TOOLS_CTL_TRAFFIC_RATES_H_
