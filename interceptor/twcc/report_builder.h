#ifndef INTERCEPTOR_TWCC_REPORT_BUILDER_H_
#define INTERCEPTOR_TWCC_REPORT_BUILDER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/timestamp.h"
#include "interceptor/packet_attributes.h"
#include "interceptor/twcc/send_log.h"

namespace sluice {

// Collects what datagrams of feedback, in whichever format, say of the packets in a log, and makes
// a report of each. All memory is taken in the constructor. One thread.
class ReportBuilder {
 public:
  // Packets looked up in one batch: as many as one feedback can be about. An honest peer's batch
  // has a few hundred.
  static constexpr int64_t kMaxLookups = 32768;

  // Reports of one batch have at most `max_reports` packets together, which is at least 1. `log`
  // outlives this.
  ReportBuilder(SendLog& log, size_t max_reports);

  // Reports made before are stale now.
  void BeginBatch();

  // The next datagram says that packet `sequence` of the log arrived at `arrived` by the peer's
  // clock ...
  void AddArrival(int64_t sequence, Timestamp arrived);
  // ... or that `count` packets from `first` on did not.
  void AddMissing(int64_t first, int64_t count);
  // Its report, whose packets are good until BeginBatch; nothing when it says nothing new.
  std::optional<FeedbackReport> EndDatagram(Timestamp received);

  // Since construction: packets by verdict; those passed over because there was no room in a batch.
  uint64_t outcomes(OutcomeVerdict verdict) const {
    return outcomes_[static_cast<size_t>(verdict)];
  }
  uint64_t passed_over() const { return passed_over_; }

 private:
  void Add(int64_t sequence, Timestamp arrived);

  SendLog& log_;
  const size_t max_reports_;
  // Reserved in full. Those from `begin_` on are of this datagram.
  std::vector<PacketReport> reports_;
  size_t begin_ = 0;
  int64_t lookups_ = 0;
  std::array<uint64_t, 4> outcomes_ = {};
  uint64_t passed_over_ = 0;
};

}  // namespace sluice

#endif  // INTERCEPTOR_TWCC_REPORT_BUILDER_H_
