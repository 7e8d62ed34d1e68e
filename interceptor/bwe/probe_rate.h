#ifndef INTERCEPTOR_BWE_PROBE_RATE_H_
#define INTERCEPTOR_BWE_PROBE_RATE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/data_rate.h"
#include "base/data_size.h"
#include "base/timestamp.h"
#include "interceptor/bwe/probe.h"
#include "interceptor/packet_attributes.h"

namespace sluice {

// What probes show: the lower of the rates at which their packets were sent and arrived. One
// thread.
class ProbeRate {
 public:
  // Probes that may be under way at one time: two at the start, one more before they are answered,
  // and room for answers that come late. The oldest one is given up for a new one.
  static constexpr size_t kMaxProbes = 8;

  // Packets of this probe will be sent.
  void Begin(const Probe& probe);

  // A packet of a probe arrived. The rate as far as it is known then; nothing before most of the
  // probe has arrived, or when what arrived is no measure.
  std::optional<DataRate> Add(const PacketReport& packet);

 private:
  struct Measured {
    Probe probe;
    int packets;
    DataSize size;
    // Of the packet sent last, and of the one that arrived first.
    DataSize last_sent_size;
    DataSize first_arrived_size;
    Timestamp first_sent;
    Timestamp last_sent;
    Timestamp first_arrived;
    Timestamp last_arrived;
  };

  static std::optional<DataRate> RateOf(const Measured& measured);

  std::array<std::optional<Measured>, kMaxProbes> probes_;
  size_t next_ = 0;
};

}  // namespace sluice

#endif  // INTERCEPTOR_BWE_PROBE_RATE_H_
