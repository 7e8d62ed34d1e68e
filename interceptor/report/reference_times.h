#ifndef INTERCEPTOR_REPORT_REFERENCE_TIMES_H_
#define INTERCEPTOR_REPORT_REFERENCE_TIMES_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/timestamp.h"
#include "interceptor/rtcp/xr.h"
#include "srtp/rtp_types.h"

namespace sluice {

// What receivers without media said of their time, until it is answered (RFC 3611 sections 4.4 and
// 4.5). A value of fixed size.
class ReferenceTimes {
 public:
  // Receivers that ask between two reports of ours. One peer has one, or one for each m-line; of
  // more, those that asked last are answered.
  static constexpr size_t kCapacity = 16;

  // `ssrc` said it is `ntp_time` there. False when another one, the first to come, was forgotten
  // for it.
  bool Add(Ssrc ssrc, uint64_t ntp_time, Timestamp arrival);
  // `ssrc` left.
  void Remove(Ssrc ssrc);

  // Answers to all, written to the front of `answers`, which has room for kCapacity; each is taken
  // once. How many.
  size_t TakeAnswers(Timestamp now, absl::Span<ReferenceTimeAnswer> answers);

  size_t size() const { return size_; }

 private:
  struct Question {
    Ssrc ssrc = Ssrc(0);
    uint32_t compact_ntp = 0;
    Timestamp arrival = Timestamp::MinusInfinity();
  };

  void RemoveAt(size_t i);

  // In the order of arrival.
  std::array<Question, kCapacity> questions_;
  size_t size_ = 0;
};

}  // namespace sluice

#endif  // INTERCEPTOR_REPORT_REFERENCE_TIMES_H_
