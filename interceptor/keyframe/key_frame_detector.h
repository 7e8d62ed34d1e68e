#ifndef INTERCEPTOR_KEYFRAME_KEY_FRAME_DETECTOR_H_
#define INTERCEPTOR_KEYFRAME_KEY_FRAME_DETECTOR_H_

#include <cstdint>

#include "absl/types/span.h"
#include "interceptor/stream_info.h"

namespace sluice {

// Whether key frames of this codec can be told from its payload.
constexpr bool CanTellKeyFrames(PayloadCodec codec) { return codec != PayloadCodec::kOther; }

// Whether a packet with this payload (without padding) begins a key frame, or a part of one that
// only key frames have: where a decoder may start. Any bytes are fine; what is cut short begins
// nothing. Of a codec that cannot be told, false.
//
// VP8: the first partition of a key frame (RFC 7741 sections 4.2 and 4.3). VP9: a frame of the
// lowest spatial layer that is not predicted (RFC 9628 section 4.2). H.264: an IDR slice or a
// sequence parameter set, alone, aggregated or as the first fragment (RFC 6184 section 5). H.265:
// the same with slices of random access pictures (RFC 7798 section 4.4), without DONL. AV1: a new
// coded video sequence (section 4.4).
bool BeginsKeyFrame(PayloadCodec codec, absl::Span<const uint8_t> payload);

}  // namespace sluice

#endif  // INTERCEPTOR_KEYFRAME_KEY_FRAME_DETECTOR_H_
