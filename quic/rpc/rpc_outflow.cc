#include "quic/rpc/rpc_outflow.h"

namespace sluice {

RpcOutflow::Verdict RpcOutflow::Send(RpcStreamId id, RpcFrameType type,
                                     absl::Span<const uint8_t> payload, bool fin,
                                     size_t max_waiting, RpcStreams& streams,
                                     RpcBufferShare& share) {
  RpcFrameHead head;
  const size_t head_size = WriteRpcFrameHead(type, payload.size(), head);
  absl::Span<const uint8_t> front = absl::MakeConstSpan(head).first(head_size);
  if (waiting() > 0) {
    if (waiting() + front.size() + payload.size() > max_waiting) return Verdict::kRefused;
  } else {
    front.remove_prefix(streams.Write(id, front, fin && payload.empty()));
    if (front.empty() && !payload.empty()) {
      payload.remove_prefix(streams.Write(id, payload, fin));
    }
    if (front.empty() && payload.empty()) return Verdict::kTaken;
    const bool untouched = front.size() == head_size;
    // More than there is room for only if somebody asks for less than kMaxWaiting.
    if (untouched && front.size() + payload.size() > max_waiting) return Verdict::kRefused;
    if (!waiting_.Begin(share)) return untouched ? Verdict::kRefused : Verdict::kBroken;
  }
  waiting_.Append(front);
  waiting_.Append(payload);
  fin_ = fin;
  return Verdict::kTaken;
}

bool RpcOutflow::Flush(RpcStreamId id, RpcStreams& streams) {
  if (waiting() == 0) return true;
  waiting_.Consume(streams.Write(id, waiting_.bytes(), fin_));
  if (waiting() > 0) return false;
  Clear();
  return true;
}

void RpcOutflow::Clear() {
  waiting_.Clear();
  fin_ = false;
}

}  // namespace sluice
