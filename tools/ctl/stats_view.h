#ifndef TOOLS_CTL_STATS_VIEW_H_
#define TOOLS_CTL_STATS_VIEW_H_

#include <map>
#include <string>

#include "proto/gateway/v1/stats.pb.h"
#include "tools/ctl/traffic_rates.h"

namespace sluice {

// A session's counters for people: one row per leg and direction with rates, loss and jitter, one
// line per leg of what became of its packets, what its interceptors know, and with `streams` one
// row per SSRC.
std::string RenderStats(const gateway::v1::SessionStats& stats,
                        const std::map<std::string, LegRates>& rates, bool streams);

// "forwarded 500, auth_failed 2"; "nothing yet" when there are none.
std::string FormatVerdicts(const gateway::v1::LegStats& leg);

// Sums over the streams of one leg in one direction. Jitter is that of the worst stream.
struct StreamSums {
  uint64_t streams = 0;
  uint64_t packets = 0;
  int64_t packets_lost = 0;
  uint64_t jitter_us = 0;
};
StreamSums SumStreams(const gateway::v1::LegStats& leg, gateway::v1::Direction direction);

}  // namespace sluice

#endif  // TOOLS_CTL_STATS_VIEW_H_
