#include "quic/http3/http_outflow.h"

#include <array>

#include "base/check.h"
#include "quic/codec/varint.h"

namespace sluice {

HttpOutflow::Verdict HttpOutflow::SendData(StreamId id, absl::Span<const uint8_t> piece,
                                           HttpStreams& streams, HttpBufferShare& share) {
  SLUICE_DCHECK(piece.size() <= kMaxHttpPiece);
  // RFC 9114 section 7.2.1: type 0, the length, the bytes.
  std::array<uint8_t, kMaxDataHead> head{};
  const size_t length_size = Varint::Trusted(piece.size()).StoreTo(&head[1]);
  return Send(id, absl::MakeConstSpan(head).first(1 + length_size), piece, streams, share);
}

HttpOutflow::Verdict HttpOutflow::Send(StreamId id, absl::Span<const uint8_t> front,
                                       absl::Span<const uint8_t> rest, HttpStreams& streams,
                                       HttpBufferShare& share) {
  SLUICE_DCHECK(!fin_);
  if (waiting() > 0) {
    if (waiting() + front.size() + rest.size() > kMaxWaiting) return Verdict::kRefused;
  } else {
    const size_t size = front.size() + rest.size();
    front.remove_prefix(streams.Write(id, front, false));
    if (front.empty()) rest.remove_prefix(streams.Write(id, rest, false));
    const size_t left = front.size() + rest.size();
    if (left == 0) return Verdict::kTaken;
    if (!waiting_.Begin(share)) return left == size ? Verdict::kRefused : Verdict::kBroken;
  }
  waiting_.Append(front);
  waiting_.Append(rest);
  return Verdict::kTaken;
}

bool HttpOutflow::Finish(StreamId id, HttpStreams& streams) {
  fin_ = true;
  if (waiting() > 0) return false;
  static_cast<void>(streams.Write(id, {}, true));
  return true;
}

bool HttpOutflow::Flush(StreamId id, HttpStreams& streams) {
  if (waiting() == 0) return true;
  waiting_.Consume(streams.Write(id, waiting_.bytes(), fin_));
  if (waiting() > 0) return false;
  Clear();
  return true;
}

void HttpOutflow::Clear() {
  waiting_.Clear();
  fin_ = false;
}

}  // namespace sluice
