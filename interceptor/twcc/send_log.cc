#include "interceptor/twcc/send_log.h"

#include "base/check.h"

namespace sluice {

SendLog::SendLog(size_t capacity)
    : mask_(capacity - 1), entries_(std::make_unique<Entry[]>(capacity)) {
  SLUICE_CHECK(IsValidCapacity(capacity)) << capacity;
}

OutcomeVerdict SendLog::Report(int64_t sequence, Timestamp arrived, PacketReport& report) {
  if (sequence < 0 || sequence >= next_) {
    return OutcomeVerdict::kNeverSent;
  }
  if (sequence < oldest()) {
    return OutcomeVerdict::kForgotten;
  }
  Entry& entry = entries_[Index(sequence)];
  const State state = arrived.IsFinite() ? State::kReceived : State::kMissing;
  if (entry.state >= state) {
    return OutcomeVerdict::kKnown;
  }
  entry.state = state;
  report = {.sequence = sequence,
            .size = DataSize::Bytes(entry.size),
            .sent = Timestamp::Micros(entry.sent_us),
            .arrived = arrived,
            .probe_cluster = entry.probe_cluster};
  return OutcomeVerdict::kNews;
}

}  // namespace sluice
