#include "quic/rpc/rpc_request_reader.h"

#include <optional>

#include "base/byte_order.h"

namespace sluice {

RpcRequestReader::Verdict RpcRequestReader::Read(absl::Span<const uint8_t> data, bool fin,
                                                 RpcBufferShare& share) {
  while (true) {
    RpcFrameReader::Piece piece;
    const RpcFrameReader::Verdict verdict = frames_.Next(data, piece);
    if (verdict == RpcFrameReader::Verdict::kTooMuchUnknown) return Verdict::kTooMuchUnknown;
    if (verdict == RpcFrameReader::Verdict::kNeedsMore) break;
    const Verdict fault = Take(piece, share);
    if (fault != Verdict::kIncomplete) return fault;
  }
  if (!fin) return Verdict::kIncomplete;
  const bool complete = wanted_ == Wanted::kEnd && frames_.between_frames();
  return complete ? Verdict::kComplete : Verdict::kTruncated;
}

RpcRequestReader::Verdict RpcRequestReader::Begin(RpcFrameType type, uint64_t length) const {
  switch (wanted_) {
    case Wanted::kHeader:
      if (type != RpcFrameType::kHeader) return Verdict::kFrameUnexpected;
      return length > kMaxRpcHeader ? Verdict::kFrameTooLong : Verdict::kIncomplete;
    case Wanted::kMessage:
      if (type != RpcFrameType::kMessage) return Verdict::kFrameUnexpected;
      return length > kMaxRpcMessage ? Verdict::kFrameTooLong : Verdict::kIncomplete;
    case Wanted::kEnd:
      break;
  }
  return Verdict::kFrameUnexpected;
}

RpcRequestReader::Verdict RpcRequestReader::Take(const RpcFrameReader::Piece& piece,
                                                 RpcBufferShare& share) {
  if (piece.first) {
    const Verdict fault = Begin(piece.type, piece.length);
    if (fault != Verdict::kIncomplete) return fault;
    if (buffer_.empty()) buffer_ = share.Take();
    if (buffer_.empty()) return Verdict::kNoBuffer;
  }
  CopyBytes(buffer_.bytes().subspan(header_size_ + message_size_), piece.payload);
  size_t& size = wanted_ == Wanted::kHeader ? header_size_ : message_size_;
  size += piece.payload.size();
  if (!piece.last) return Verdict::kIncomplete;
  if (wanted_ == Wanted::kMessage) {
    wanted_ = Wanted::kEnd;
    return Verdict::kIncomplete;
  }
  const std::optional<RpcRequestHeader> header =
      DecodeRpcRequestHeader(buffer_.bytes().first(header_size_));
  if (!header.has_value()) return Verdict::kFrameMalformed;
  header_ = *header;
  wanted_ = Wanted::kMessage;
  return Verdict::kIncomplete;
}

}  // namespace sluice
