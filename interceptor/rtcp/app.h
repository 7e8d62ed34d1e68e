#ifndef INTERCEPTOR_RTCP_APP_H_
#define INTERCEPTOR_RTCP_APP_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "srtp/rtp_types.h"

namespace sluice {

// An application's own packet: APP (RFC 3550 section 6.7). Points into the bytes it was parsed
// from.
class AppView {
 public:
  // nullopt unless `packet` is an APP packet with SSRC and name.
  static std::optional<AppView> Parse(absl::Span<const uint8_t> packet);

  Ssrc ssrc() const { return ssrc_; }
  // 0..31.
  uint8_t subtype() const { return subtype_; }
  // Four ASCII characters as one number, the first in the highest byte.
  uint32_t name() const { return name_; }
  absl::Span<const uint8_t> data() const { return data_; }

 private:
  AppView(Ssrc ssrc, uint8_t subtype, uint32_t name, absl::Span<const uint8_t> data)
      : ssrc_(ssrc), subtype_(subtype), name_(name), data_(data) {}

  Ssrc ssrc_;
  uint8_t subtype_;
  uint32_t name_;
  absl::Span<const uint8_t> data_;
};

// Writes an APP packet: its size, or 0 when it does not fit, `subtype` is above 31 or `data` is no
// multiple of four bytes (RFC 3550 section 6.7).
size_t WriteApp(Ssrc ssrc, uint8_t subtype, uint32_t name, absl::Span<const uint8_t> data,
                absl::Span<uint8_t> buffer);

}  // namespace sluice

#endif  // INTERCEPTOR_RTCP_APP_H_
