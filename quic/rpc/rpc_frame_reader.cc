#include "quic/rpc/rpc_frame_reader.h"

#include <algorithm>

#include "quic/codec/varint.h"

namespace sluice {

RpcFrameReader::Verdict RpcFrameReader::Next(absl::Span<const uint8_t>& data, Piece& piece) {
  while (true) {
    if (!in_frame_) {
      const size_t before = data.size() + head_size_;
      if (!ReadHead(data)) return Verdict::kNeedsMore;
      if (IsKnownRpcFrameType(type_)) {
        unknown_ = 0;
      } else {
        const size_t room = kMaxRpcUnknown - unknown_;
        const size_t head = before - data.size();
        if (head > room || length_ > room - head) return Verdict::kTooMuchUnknown;
        unknown_ += head + static_cast<size_t>(length_);
      }
    }
    const size_t size = static_cast<size_t>(std::min<uint64_t>(left_, data.size()));
    const absl::Span<const uint8_t> payload = data.first(size);
    data.remove_prefix(size);
    left_ -= size;
    in_frame_ = left_ > 0;
    if (!IsKnownRpcFrameType(type_)) {
      if (in_frame_) return Verdict::kNeedsMore;
      continue;
    }
    if (!first_ && size == 0) return Verdict::kNeedsMore;
    piece = {.type = static_cast<RpcFrameType>(type_),
             .length = length_,
             .payload = payload,
             .first = first_,
             .last = !in_frame_};
    first_ = false;
    return Verdict::kPiece;
  }
}

bool RpcFrameReader::ReadHead(absl::Span<const uint8_t>& data) {
  // The second byte says how long the length is.
  size_t wanted = head_size_ < 2 ? 2 : 1 + (size_t{1} << (head_[1] >> 6));
  while (head_size_ < wanted) {
    if (data.empty()) return false;
    head_[head_size_++] = data[0];
    data.remove_prefix(1);
    if (head_size_ == 2) wanted = 1 + (size_t{1} << (head_[1] >> 6));
  }
  absl::Span<const uint8_t> rest = absl::MakeConstSpan(head_).subspan(1, wanted - 1);
  // Cannot fail: exactly as many bytes as the first of them says.
  if (!ReadVarint(rest, length_)) return false;
  type_ = head_[0];
  left_ = length_;
  head_size_ = 0;
  in_frame_ = true;
  first_ = true;
  return true;
}

}  // namespace sluice
