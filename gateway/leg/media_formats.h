#ifndef GATEWAY_LEG_MEDIA_FORMATS_H_
#define GATEWAY_LEG_MEDIA_FORMATS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "gateway/leg/media_description.h"
#include "interceptor/stream_info.h"
#include "srtp/rtp_types.h"

namespace sluice {

// A leg's media description in the terms of interceptors: what a stream is, told by the payload
// type that it was first seen with. Memory is taken in the constructor.
class MediaFormats {
 public:
  MediaFormats(absl::Span<const PayloadDescription> payload_types,
               absl::Span<const HeaderExtension> extensions);

  // Null when the payload type was not described. Lives as long as this.
  const PayloadFormat* Find(PayloadType payload_type) const;
  // The payload type for retransmissions of `payload_type` (RFC 4588 section 8.1).
  const PayloadFormat* FindRetransmissionOf(PayloadType payload_type) const;

  // A stream whose media has `payload_type`: its feedback, and as formats that payload type, those
  // that go with it and then the others as far as there is room. Only SSRC is set of the SSRCs.
  StreamInfo Describe(Ssrc ssrc, PayloadType payload_type) const;

 private:
  // Payload types are seven bits.
  static constexpr uint8_t kNone = 0xFF;

  struct Row {
    PayloadFormat format;
    StreamFeedback feedback;
    bool video = false;
  };

  const Row* FindRow(PayloadType payload_type) const;

  std::vector<Row> rows_;
  // Of rows_, by payload type.
  std::array<uint8_t, 128> index_;
  StreamExtensions extensions_;
};

}  // namespace sluice

#endif  // GATEWAY_LEG_MEDIA_FORMATS_H_
