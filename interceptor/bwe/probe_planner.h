#ifndef INTERCEPTOR_BWE_PROBE_PLANNER_H_
#define INTERCEPTOR_BWE_PROBE_PLANNER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "base/data_rate.h"
#include "base/timestamp.h"
#include "interceptor/bwe/application_limit.h"
#include "interceptor/bwe/probe.h"

namespace sluice {

// Probes that are to begin now, at most two.
class ProbeList {
 public:
  absl::Span<const Probe> probes() const { return absl::MakeConstSpan(probes_).first(count_); }
  bool HasRoom() const { return count_ < probes_.size(); }
  // There is room.
  void Add(const Probe& probe) { probes_[count_++] = probe; }

 private:
  std::array<Probe, 2> probes_ = {Probe{0, DataRate::Zero(), TimeDelta::Zero()},
                                  Probe{0, DataRate::Zero(), TimeDelta::Zero()}};
  size_t count_ = 0;
};

// When to try more than what is sent: at the start, as long as probes show that there is more; from
// time to time while there is little to send; and when a path that had fallen recovers. As
// libwebrtc does it; the draft leaves it open. One thread.
class ProbePlanner {
 public:
  explicit ProbePlanner(DataRate max) : max_(max) {}

  // Media begins to flow at the start rate.
  ProbeList OnStart(Timestamp now, DataRate start);
  // A new estimate.
  ProbeList OnEstimate(Timestamp now, DataRate estimate);
  // The path is no longer overused.
  ProbeList OnRecovered(Timestamp now, const ApplicationLimit& limit);
  // Time passes.
  ProbeList OnTimeout(Timestamp now, const ApplicationLimit& limit);

 private:
  enum class State : uint8_t {
    kBeforeStart,
    // A probe of the start may still show more.
    kWaiting,
    kDone,
  };

  void Plan(Timestamp now, DataRate rate, ProbeList& list);

  const DataRate max_;
  State state_ = State::kBeforeStart;
  uint32_t last_cluster_ = 0;
  DataRate estimate_ = DataRate::Zero();
  // An estimate above it makes the next probe worth its packets.
  DataRate further_above_ = DataRate::PlusInfinity();
  Timestamp last_probe_ = Timestamp::MinusInfinity();
  Timestamp last_recovery_probe_ = Timestamp::MinusInfinity();
  DataRate before_drop_ = DataRate::Zero();
  Timestamp last_drop_ = Timestamp::MinusInfinity();
};

}  // namespace sluice

#endif  // INTERCEPTOR_BWE_PROBE_PLANNER_H_
