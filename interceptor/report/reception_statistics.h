#ifndef INTERCEPTOR_REPORT_RECEPTION_STATISTICS_H_
#define INTERCEPTOR_REPORT_RECEPTION_STATISTICS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "interceptor/report/source_sequence.h"
#include "srtp/rtp_types.h"

namespace sluice {

// What a sequence number says of its packet.
enum class ReceptionVerdict : uint8_t {
  // In front of all others; the first packet is.
  kNewest,
  // Behind the newest: reordered or repeated by the source under its own number.
  kLate,
  // Came before.
  kDuplicate,
  // Far from all others, and alone so far: not counted.
  kFar,
  // The second in a row far from all others: the source began anew.
  kRestarted,
};

// How many packets of one source came of those expected (RFC 3550 section 6.4.1, appendices A.1 and
// A.3): extended numbers, loss with a sign, the fraction of an interval. Only numbers; no bytes, no
// time. A value of fixed size.
//
// Other than in appendix A.1, a source needs no probation (it is authenticated and signalled), and
// what was counted before a restart is kept, so that no figure runs backwards.
class ReceptionStatistics {
 public:
  // Packets behind the newest that are told from their duplicates. A second of 1000 packets.
  static constexpr int64_t kWindow = 1024;

  ReceptionVerdict Record(SequenceNumber sequence);

  // False until the first packet.
  bool started() const { return sequence_.started(); }
  // How often the number wrapped or the source began anew, and the highest number since.
  uint32_t extended_highest_sequence() const { return static_cast<uint32_t>(sequence_.highest()); }
  // Duplicates and late packets included (RFC 3550 section 6.4.1).
  uint64_t received() const { return received_; }
  // Up to the highest number; of all restarts together.
  uint64_t expected() const { return expected_before_ + ExpectedSinceBase(); }
  uint64_t duplicates() const { return duplicates_; }
  uint64_t late() const { return late_; }
  uint64_t restarts() const { return restarts_; }
  // Expected minus received: negative when duplicates outnumber losses.
  int64_t lost() const {
    return static_cast<int64_t>(expected()) - static_cast<int64_t>(received_);
  }
  // ... in the 24 bits with a sign of a report block: the nearest that fits.
  int32_t cumulative_lost() const;

  // Something came since the last interval was ended.
  bool heard() const { return received_ != received_prior_; }
  // Of the packets expected since the last call, how many are missing, in 1/256; 0 when none was
  // expected or more came. Ends the interval.
  uint8_t EndInterval();

 private:
  static constexpr uint32_t kWordBits = 64;

  void Begin();
  uint64_t ExpectedSinceBase() const {
    return started() ? static_cast<uint64_t>(sequence_.highest() - base_ + 1) : 0;
  }
  // Whether the bit was set already.
  bool TestAndSet(int64_t extended);
  void ClearBetween(int64_t from, int64_t to);

  SourceSequence sequence_;
  // The first number since the source began, extended; not negative.
  int64_t base_ = 0;
  uint64_t expected_before_ = 0;
  uint64_t received_ = 0;
  uint64_t duplicates_ = 0;
  uint64_t late_ = 0;
  uint64_t restarts_ = 0;
  uint64_t expected_prior_ = 0;
  uint64_t received_prior_ = 0;
  // Bit n modulo kWindow: number n came; of the last kWindow numbers.
  std::array<uint64_t, kWindow / kWordBits> window_{};
};

}  // namespace sluice

#endif  // INTERCEPTOR_REPORT_RECEPTION_STATISTICS_H_
