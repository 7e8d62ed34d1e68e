#ifndef QUIC_RPC_RPC_BUFFER_POOL_H_
#define QUIC_RPC_RPC_BUFFER_POOL_H_

#include <cstddef>

#include "base/buffer_pool.h"
#include "quic/rpc/rpc_frame.h"

namespace sluice {

// Memory for calls of all connections of a thread: for requests that come in more than one piece,
// and for answers that a peer does not read as fast as they are written. Most calls need it for a
// moment only.
class RpcBufferPool : public BufferPool {
 public:
  // Header and message of a request, with their heads. Also an answer's message with a status
  // behind it.
  static constexpr size_t kBufferSize = kMaxRpcHeader + kMaxRpcMessage + 2 * kMaxRpcFrameHead;

  explicit RpcBufferPool(size_t buffers) : BufferPool(buffers, kBufferSize) {}
};

// Room for a whole request.
using RpcBuffer = LentBuffer;
// What one connection may have.
using RpcBufferShare = BufferShare;

}  // namespace sluice

#endif  // QUIC_RPC_RPC_BUFFER_POOL_H_
