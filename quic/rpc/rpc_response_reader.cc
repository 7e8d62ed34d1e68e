#include "quic/rpc/rpc_response_reader.h"

#include <optional>

#include "base/byte_order.h"

namespace sluice {

RpcResponseReader::Verdict RpcResponseReader::Next(absl::Span<const uint8_t>& data, bool fin,
                                                   RpcBufferShare& share) {
  // A message that was given is done with.
  if (frames_.between_frames() && !has_status_) buffer_.GiveBack();
  while (true) {
    RpcFrameReader::Piece piece;
    const RpcFrameReader::Verdict verdict = frames_.Next(data, piece);
    if (verdict == RpcFrameReader::Verdict::kTooMuchUnknown) return Verdict::kTooMuchUnknown;
    if (verdict == RpcFrameReader::Verdict::kNeedsMore) return End(fin, share);
    const Verdict taken = Take(piece, share);
    if (taken != Verdict::kNeedsMore) return taken;
  }
}

RpcResponseReader::Verdict RpcResponseReader::Take(const RpcFrameReader::Piece& piece,
                                                   RpcBufferShare& share) {
  const bool is_status = piece.type == RpcFrameType::kStatus;
  if (piece.first) {
    if (has_status_ || piece.type == RpcFrameType::kHeader) return Verdict::kFrameUnexpected;
    if (piece.length > (is_status ? kMaxRpcStatus : kMaxRpcMessage)) return Verdict::kFrameTooLong;
    size_ = 0;
  }
  if (piece.first && piece.last) {
    payload_ = piece.payload;
  } else {
    if (buffer_.empty()) buffer_ = share.Take();
    if (buffer_.empty()) return Verdict::kNoBuffer;
    CopyBytes(buffer_.bytes().subspan(size_), piece.payload);
    size_ += piece.payload.size();
    if (!piece.last) return Verdict::kNeedsMore;
    payload_ = buffer_.bytes().first(size_);
  }
  if (!is_status) return Verdict::kMessage;
  has_status_ = true;
  return Verdict::kNeedsMore;
}

RpcResponseReader::Verdict RpcResponseReader::End(bool fin, RpcBufferShare& share) {
  if (fin) {
    if (!has_status_ || !frames_.between_frames()) return Verdict::kTruncated;
    const std::optional<RpcStatus> status = DecodeRpcStatus(payload_);
    if (!status.has_value()) return Verdict::kFrameMalformed;
    status_ = *status;
    return Verdict::kStatus;
  }
  // A status waits for the end, and the bytes that it stands in do not.
  if (has_status_ && buffer_.empty() && !payload_.empty()) {
    buffer_ = share.Take();
    if (buffer_.empty()) return Verdict::kNoBuffer;
    CopyBytes(buffer_.bytes(), payload_);
    payload_ = buffer_.bytes().first(payload_.size());
  }
  return Verdict::kNeedsMore;
}

}  // namespace sluice
