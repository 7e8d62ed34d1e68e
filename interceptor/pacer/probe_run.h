#ifndef INTERCEPTOR_PACER_PROBE_RUN_H_
#define INTERCEPTOR_PACER_PROBE_RUN_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/data_rate.h"
#include "base/data_size.h"
#include "base/ring_buffer.h"
#include "base/timestamp.h"
#include "interceptor/interceptor_event.h"

namespace sluice {

// When the packets of a probe go, one probe after the other. A probe is over when enough of it was
// sent, and given up when its packets cannot be sent in time: it would measure our own delays. All
// memory is taken in the constructor. One thread.
class ProbeRun {
 public:
  // Probes that wait: two at the start and one more while they run. One more is refused.
  static constexpr size_t kMaxWaiting = 4;
  // Fewer packets measure nothing.
  static constexpr int kMinPackets = 5;

  ProbeRun() : waiting_(kMaxWaiting) {}

  // A probe is to run, which begins with the next packet that there is.
  void Add(Timestamp now, const ProbeWanted& probe);

  // Of the probe that runs or begins; nothing when there is none.
  std::optional<uint32_t> cluster() const {
    return waiting_.empty() ? std::nullopt : std::optional(waiting_.front().probe.cluster);
  }
  // When its next packet may go: at once where it has not begun. PlusInfinity: there is no probe.
  Timestamp next_send() const { return waiting_.empty() ? Timestamp::PlusInfinity() : next_send_; }
  // What is missing of the probe that runs or begins; at least a byte.
  DataSize remaining() const;
  // Gives up what cannot be sent in time any more; before every packet and whenever time passes.
  void OnTime(Timestamp now);
  // The probe that runs or begins cannot go on; nothing without one.
  void GiveUp();
  // A packet of it goes.
  void OnSent(Timestamp now, DataSize size);

  // Since construction.
  uint64_t finished() const { return finished_; }
  uint64_t given_up() const { return given_up_; }
  uint64_t refused() const { return refused_; }

 private:
  struct Waiting {
    ProbeWanted probe;
    Timestamp added;
  };

  void Next();

  RingBuffer<Waiting> waiting_;
  // Of the first one.
  std::optional<Timestamp> begun_;
  DataSize sent_ = DataSize::Zero();
  int packets_ = 0;
  Timestamp next_send_ = Timestamp::MinusInfinity();
  uint64_t finished_ = 0;
  uint64_t given_up_ = 0;
  uint64_t refused_ = 0;
};

}  // namespace sluice

#endif  // INTERCEPTOR_PACER_PROBE_RUN_H_
