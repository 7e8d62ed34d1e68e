#ifndef INTERCEPTOR_RTCP_NACK_H_
#define INTERCEPTOR_RTCP_NACK_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "srtp/rtp_types.h"

namespace sluice {

// Packets that one item names: PID and the sixteen behind it (RFC 4585 section 6.2.1).
inline constexpr size_t kMaxNackItemPackets = 17;

// Packets are missing: generic NACK (RFC 4585 section 6.2.1). Points into the bytes it was parsed
// from.
class NackView {
 public:
  // nullopt unless `packet` is a generic NACK with at least one item.
  static std::optional<NackView> Parse(absl::Span<const uint8_t> packet);

  Ssrc sender() const { return sender_; }
  // Whose packets are missing.
  Ssrc media() const { return media_; }
  size_t item_count() const { return items_.size() / 4; }

  // Calls `f(SequenceNumber missing)` for each packet named, in order, at most
  // kMaxNackItemPackets * item_count() times. A packet may be named more than once.
  template <typename F>
  void ForEachMissing(F&& f) const;

 private:
  NackView(Ssrc sender, Ssrc media, absl::Span<const uint8_t> items)
      : sender_(sender), media_(media), items_(items) {}

  Ssrc sender_;
  Ssrc media_;
  absl::Span<const uint8_t> items_;
};

// Writes a NACK for the first of `missing`, which are in the order of their numbers modulo 2^16;
// `written` becomes how many of them the packet names, and the rest is for another one. Its size,
// or 0 when there is no room for one item or nothing missing.
size_t WriteNack(Ssrc sender, Ssrc media, absl::Span<const SequenceNumber> missing,
                 absl::Span<uint8_t> buffer, size_t& written);

template <typename F>
void NackView::ForEachMissing(F&& f) const {
  for (size_t at = 0; at < items_.size(); at += 4) {
    const uint16_t first = LoadBe16(items_.data() + at);
    f(SequenceNumber(first));
    for (unsigned mask = LoadBe16(items_.data() + at + 2), i = 1; mask != 0; mask >>= 1, ++i) {
      if ((mask & 1) != 0) {
        f(SequenceNumber(static_cast<uint16_t>(first + i)));
      }
    }
  }
}

}  // namespace sluice

#endif  // INTERCEPTOR_RTCP_NACK_H_
