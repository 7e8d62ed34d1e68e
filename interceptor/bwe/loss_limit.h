#ifndef INTERCEPTOR_BWE_LOSS_LIMIT_H_
#define INTERCEPTOR_BWE_LOSS_LIMIT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/data_rate.h"
#include "base/data_size.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "interceptor/packet_attributes.h"

namespace sluice {

// The rate that loss allows. The path is taken to lose some packets whatever is sent (wireless
// links do), and of what exceeds its bandwidth all; of a few candidate rates, the one is taken
// under which the losses seen lately are most likely, with a small preference for higher rates. So
// five percent of random loss do not hold the rate down, and a full queue does. This is libwebrtc's
// second loss-based estimator; the rule of draft-ietf-rmcat-gcc-02 section 6 would stop all growth
// from two percent on.
//
// The arithmetic is floating-point and the same in every run. Takes the same time for any feedback.
// One thread.
class LossLimit {
 public:
  // min <= start <= max.
  LossLimit(DataRate min, DataRate start, DataRate max) : min_(min), max_(max), limit_(start) {}

  // What became of one packet.
  void Add(const PacketReport& packet);

  // After the packets of one report. `delay_based` is what delay allows, `delivered` at what rate
  // packets arrive, where that is known. Returns the limit.
  DataRate Update(Timestamp now, DataRate delay_based, std::optional<DataRate> delivered);

  // Another way showed what the path carries.
  void SetLimit(DataRate limit);
  DataRate limit() const { return limit_; }
  // What the path loses whatever is sent, 0..1.
  double inherent_loss() const { return inherent_loss_; }

 private:
  // Five seconds of feedback.
  static constexpr size_t kWindow = 20;

  // What was sent in a quarter of a second and became of it.
  struct Observation {
    double kbps;
    double received;
    double lost;
    // The older, the less.
    double weight;
  };
  // Where the path would be.
  struct Model {
    double kbps;
    double inherent_loss;
  };

  bool FinishObservation();
  // Over the window, weighted; 0..1.
  double AverageLoss() const;
  // The inherent loss that makes the losses likeliest, for a path of `kbps`.
  double FitInherentLoss(double kbps) const;
  // Log-likelihood and preference.
  double Objective(const Model& model, double average_loss) const;
  Model BestModel(double delay_kbps, std::optional<double> delivered_kbps) const;
  DataRate Clamp(DataRate rate) const;

  const DataRate min_;
  const DataRate max_;
  DataRate limit_;
  double inherent_loss_ = 0.01;

  std::array<Observation, kWindow> observations_ = {};
  size_t observation_count_ = 0;
  size_t next_observation_ = 0;
  // What is not an observation yet.
  double received_ = 0;
  double lost_ = 0;
  DataSize size_ = DataSize::Zero();
  std::optional<Timestamp> begin_sent_;
  Timestamp last_sent_ = Timestamp::MinusInfinity();

  // After losses lowered the limit: until when it does not rise above the bound.
  Timestamp bounded_until_ = Timestamp::MinusInfinity();
  DataRate bound_ = DataRate::PlusInfinity();
};

}  // namespace sluice

#endif  // INTERCEPTOR_BWE_LOSS_LIMIT_H_
