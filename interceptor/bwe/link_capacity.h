#ifndef INTERCEPTOR_BWE_LINK_CAPACITY_H_
#define INTERCEPTOR_BWE_LINK_CAPACITY_H_

#include <optional>

#include "base/data_rate.h"

namespace sluice {

// Where the path was full before: the running average of what was delivered when it was, and how
// far such rates are apart (draft-ietf-rmcat-gcc-02 section 5.5: a rate near it is approached
// slowly). One thread.
class LinkCapacity {
 public:
  // `delivered` while a queue grew.
  void OnOveruse(DataRate delivered) { Update(delivered, 0.05); }
  // `rate` was delivered of a probe.
  void OnProbe(DataRate rate) { Update(rate, 0.5); }
  void Reset() { kbps_.reset(); }

  // Nothing when it is not known.
  std::optional<DataRate> estimate() const;
  // Three standard deviations around it; unlimited when it is not known.
  DataRate UpperBound() const;
  DataRate LowerBound() const;

 private:
  void Update(DataRate rate, double weight);
  double DeviationKbps() const;

  std::optional<double> kbps_;
  // Relative to the estimate: variance divided by it.
  double deviation_ = 0.4;
};

}  // namespace sluice

#endif  // INTERCEPTOR_BWE_LINK_CAPACITY_H_
