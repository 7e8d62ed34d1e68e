#ifndef INTERCEPTOR_STATS_E_MODEL_H_
#define INTERCEPTOR_STATS_E_MODEL_H_

#include "base/time_delta.h"

namespace sluice {

// How a call sounds, from what the network does to it: the E-model of ITU-T G.107 with its default
// values, so that only delay and loss are left. Scores for a display; nothing is decided by them,
// and so they may be floating point.

// What a codec makes of loss (ITU-T G.113, appendix I). As given: G.711 with concealment, which is
// what can be said of a codec that nobody rated.
struct CodecImpairment {
  // Ie: without any loss, 0..95.
  double equipment = 0;
  // Bpl: percent of loss that halve what is left, more than 0.
  double loss_robustness = 25.1;
};

struct NetworkImpairment {
  // From mouth to ear: network, jitter buffer.
  TimeDelta one_way_delay = TimeDelta::Zero();
  // 0..1.
  double loss = 0;
  // BurstR: 1 is loss at random, more is loss in bursts.
  double burst_ratio = 1;
};

// The transmission rating factor R, 0 (bad) .. 100. What is out of its range counts as the nearest
// value in it.
double TransmissionRating(const NetworkImpairment& network, const CodecImpairment& codec = {});

// The mean opinion score for a rating (ITU-T G.107, annex B), 1 (bad) .. 4.5.
double MeanOpinionScore(double rating);

}  // namespace sluice

#endif  // INTERCEPTOR_STATS_E_MODEL_H_
