#include "interceptor/keyframe/key_frame_detector.h"

#include <cstddef>

#include "base/byte_order.h"

namespace sluice {
namespace {

using Payload = absl::Span<const uint8_t>;

// The size of a picture id at `at`: two bytes where its first bit says so (VP8 and VP9 alike).
size_t PictureIdSize(Payload payload, size_t at) {
  return at < payload.size() && (payload[at] & 0x80) != 0 ? 2 : 1;
}

bool BeginsVp8KeyFrame(Payload payload) {
  if (payload.empty()) {
    return false;
  }
  const uint8_t first = payload[0];
  // S and a partition index of 0: here the frame's own header begins.
  if ((first & 0x10) == 0 || (first & 0x07) != 0) {
    return false;
  }
  size_t at = 1;
  if ((first & 0x80) != 0) {
    if (at == payload.size()) {
      return false;
    }
    const uint8_t extension = payload[at++];
    if ((extension & 0x80) != 0) {
      at += PictureIdSize(payload, at);
    }
    // TL0PICIDX; T and K share a byte.
    at += (extension & 0x40) != 0 ? 1 : 0;
    at += (extension & 0x30) != 0 ? 1 : 0;
  }
  // P, "inverse key frame flag".
  return at < payload.size() && (payload[at] & 0x01) == 0;
}

bool BeginsVp9KeyFrame(Payload payload) {
  if (payload.empty()) {
    return false;
  }
  const uint8_t first = payload[0];
  // Predicted (P), or not the beginning of a frame (B).
  if ((first & 0x40) != 0 || (first & 0x08) == 0) {
    return false;
  }
  if ((first & 0x20) == 0) {
    return true;
  }
  const size_t layers = 1 + ((first & 0x80) != 0 ? PictureIdSize(payload, 1) : 0);
  // Spatial layers above are predicted from below.
  return layers < payload.size() && (payload[layers] & 0x0E) == 0;
}

// NAL unit types of RFC 6184 section 5.2.
constexpr uint8_t kH264Idr = 5;
constexpr uint8_t kH264SequenceParameters = 7;
constexpr uint8_t kH264StapA = 24;
constexpr uint8_t kH264StapB = 25;
constexpr uint8_t kH264FuA = 28;
constexpr uint8_t kH264FuB = 29;

constexpr uint8_t H264Type(uint8_t header) { return header & 0x1F; }

bool StartsH264(uint8_t type) { return type == kH264Idr || type == kH264SequenceParameters; }

// NAL unit types of RFC 7798 section 4.4; random access pictures are 16..23.
constexpr uint8_t kH265FirstIrap = 16;
constexpr uint8_t kH265LastIrap = 23;
constexpr uint8_t kH265SequenceParameters = 33;
constexpr uint8_t kH265Aggregation = 48;
constexpr uint8_t kH265Fragment = 49;
constexpr size_t kH265HeaderSize = 2;

constexpr uint8_t H265Type(uint8_t header) { return (header >> 1) & 0x3F; }

bool StartsH265(uint8_t type) {
  return (type >= kH265FirstIrap && type <= kH265LastIrap) || type == kH265SequenceParameters;
}

// NAL units with two bytes of length each. Whether the first header byte of any of them satisfies
// `starts`; empty units are passed over.
template <typename F>
bool AnyUnit(Payload units, F starts) {
  while (units.size() >= 2) {
    const size_t size = LoadBe16(units.data());
    units.remove_prefix(2);
    if (size > units.size()) {
      return false;
    }
    if (size > 0 && starts(units[0])) {
      return true;
    }
    units.remove_prefix(size);
  }
  return false;
}

bool BeginsH264KeyFrame(Payload payload) {
  if (payload.empty()) {
    return false;
  }
  const auto starts = [](uint8_t header) { return StartsH264(H264Type(header)); };
  switch (H264Type(payload[0])) {
    case kH264StapA:
      return AnyUnit(payload.subspan(1), starts);
    case kH264StapB:
      // Behind a decoding order number.
      return payload.size() > 3 && AnyUnit(payload.subspan(3), starts);
    case kH264FuA:
    case kH264FuB:
      // S: the first fragment.
      return payload.size() > 1 && (payload[1] & 0x80) != 0 && starts(payload[1]);
    default:
      return starts(payload[0]);
  }
}

bool BeginsH265KeyFrame(Payload payload) {
  if (payload.size() <= kH265HeaderSize) {
    return false;
  }
  const auto starts = [](uint8_t header) { return StartsH265(H265Type(header)); };
  switch (H265Type(payload[0])) {
    case kH265Aggregation:
      return AnyUnit(payload.subspan(kH265HeaderSize), starts);
    case kH265Fragment:
      // S, E and the six bits of the type.
      return (payload[2] & 0x80) != 0 && StartsH265(payload[2] & 0x3F);
    default:
      return starts(payload[0]);
  }
}

// N of the aggregation header.
bool BeginsAv1KeyFrame(Payload payload) { return !payload.empty() && (payload[0] & 0x08) != 0; }

}  // namespace

bool BeginsKeyFrame(PayloadCodec codec, Payload payload) {
  switch (codec) {
    case PayloadCodec::kOther:
      return false;
    case PayloadCodec::kVp8:
      return BeginsVp8KeyFrame(payload);
    case PayloadCodec::kVp9:
      return BeginsVp9KeyFrame(payload);
    case PayloadCodec::kH264:
      return BeginsH264KeyFrame(payload);
    case PayloadCodec::kH265:
      return BeginsH265KeyFrame(payload);
    case PayloadCodec::kAv1:
      return BeginsAv1KeyFrame(payload);
  }
  return false;
}

}  // namespace sluice
