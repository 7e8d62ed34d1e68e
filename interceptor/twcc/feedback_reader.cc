#include "interceptor/twcc/feedback_reader.h"

#include <cstdint>

#include "interceptor/packet_attributes.h"

namespace sluice {

void FeedbackReader::Read(const TransportFeedbackView& feedback, const SendLog& log,
                          ReportBuilder& builder) {
  const uint16_t base = feedback.base_sequence();
  const int64_t first = log.Nearest(TransportSequence(base));
  // Those behind the first one count up from it, however far.
  const auto unwrapped = [&](uint16_t sequence) {
    return first + static_cast<uint16_t>(sequence - base);
  };
  Timestamp arrived = reference_time_.Unwrap(feedback.reference_time());
  feedback.ForEach(
      [&](uint16_t sequence, TimeDelta delta) {
        arrived += delta;
        builder.AddArrival(unwrapped(sequence), arrived);
      },
      [&](uint16_t sequence, uint16_t count) { builder.AddMissing(unwrapped(sequence), count); });
}

}  // namespace sluice
