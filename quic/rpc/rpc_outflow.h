#ifndef QUIC_RPC_RPC_OUTFLOW_H_
#define QUIC_RPC_RPC_OUTFLOW_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "base/waiting_bytes.h"
#include "quic/rpc/rpc_buffer_pool.h"
#include "quic/rpc/rpc_frame.h"
#include "quic/rpc/rpc_streams.h"

namespace sluice {

// What was to be sent on one stream and has not been taken by the connection yet. A frame goes out
// whole or not at all, or the stream is broken.
class RpcOutflow {
 public:
  enum class Verdict : uint8_t {
    // The connection has it, or it waits here.
    kTaken,
    // Nothing of it was taken: too much waits already, or there is nowhere to wait.
    kRefused,
    // Half of it was sent, and there is nowhere for the rest: the stream must be reset.
    kBroken,
  };

  // How much may wait so that a status can always follow.
  static constexpr size_t kMaxWaiting =
      RpcBufferPool::kBufferSize - kMaxRpcStatus - kMaxRpcFrameHead;
  static_assert(kMaxWaiting >= kMaxRpcMessage + kMaxRpcFrameHead,
                "the longest message may wait alone");

  // Sends a frame, or keeps it if no more than `max_waiting` bytes wait then. `fin`: the last one.
  [[nodiscard]] Verdict Send(RpcStreamId id, RpcFrameType type, absl::Span<const uint8_t> payload,
                             bool fin, size_t max_waiting, RpcStreams& streams,
                             RpcBufferShare& share);
  // Goes on after OnWritable; whether nothing waits any more.
  bool Flush(RpcStreamId id, RpcStreams& streams);
  // Forgets what waits.
  void Clear();

  size_t waiting() const { return waiting_.size(); }

 private:
  WaitingBytes waiting_;
  bool fin_ = false;
};

}  // namespace sluice

#endif  // QUIC_RPC_RPC_OUTFLOW_H_
