#ifndef INTERCEPTOR_FEC_PARITY_SUM_H_
#define INTERCEPTOR_FEC_PARITY_SUM_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "interceptor/fec/flexfec_header.h"
#include "interceptor/stream_info.h"
#include "srtp/packet_arena.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/rtp_types.h"

namespace sluice {

// The sum, modulo 2, of packets as FlexFEC defines it
// (draft-ietf-payload-flexible-fec-scheme-03 sections 6.3.2 and 6.4): fields of their fixed
// headers, and all that follows, as if padded with zeros to the longest. It is added up as packets
// pass; none of them is kept or pointed to.
//
// Extensions that are written anew on the way, behind whoever made the parity, would come back
// wrong, and spoil everything around them: their data counts as zeros on both sides, as WebRTC's
// implementations have it.
class ParitySum {
 public:
  // The sum of nothing, in no bytes.
  ParitySum() = default;
  // The sum of nothing. `storage` is the caller's and stays where it is as long as the sum is used;
  // no packet may be longer than it and the fixed header.
  explicit ParitySum(absl::Span<uint8_t> storage) : storage_(storage) {}

  // Goes on from a sum that was received. False, and no change, when it is longer than the storage.
  [[nodiscard]] bool Begin(const RecoveryFields& fields, absl::Span<const uint8_t> payload);

  // Adds a packet, or takes it away: it is the same. False, and no change, when it is too long.
  [[nodiscard]] bool Add(const RtpPacketView& packet, const StreamExtensions& extensions);

  // Writes into `to`, a fresh loan, the packet that the sum is of when it is of one only. False
  // when that is not possible: it claims to be longer than the sum, or than a slot. It may be no
  // RTP packet.
  [[nodiscard]] bool WritePacket(Ssrc ssrc, SequenceNumber sequence, PacketLoan& to) const;

  const RecoveryFields& fields() const { return fields_; }
  // As long as the longest packet behind its fixed header.
  absl::Span<const uint8_t> payload() const { return storage_.first(size_); }

 private:
  absl::Span<uint8_t> storage_;
  size_t size_ = 0;
  RecoveryFields fields_;
};

}  // namespace sluice

#endif  // INTERCEPTOR_FEC_PARITY_SUM_H_
