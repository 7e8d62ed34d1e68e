#ifndef QUIC_RPC_RPC_BUFFER_POOL_H_
#define QUIC_RPC_RPC_BUFFER_POOL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "quic/rpc/rpc_frame.h"

namespace sluice {

class RpcBufferShare;

// Room for a whole request, lent. Empty, without room, when default-constructed or moved from; goes
// back to where it came from when it goes.
class RpcBuffer {
 public:
  RpcBuffer() = default;
  RpcBuffer(RpcBuffer&& other) noexcept { *this = std::move(other); }
  RpcBuffer& operator=(RpcBuffer&& other) noexcept;
  ~RpcBuffer() { GiveBack(); }

  bool empty() const { return share_ == nullptr; }
  // RpcBufferPool::kBufferSize bytes, or none. What is in them is left from before.
  absl::Span<uint8_t> bytes() const { return bytes_; }
  void GiveBack();

 private:
  friend class RpcBufferShare;

  RpcBuffer(RpcBufferShare& share, absl::Span<uint8_t> bytes) : share_(&share), bytes_(bytes) {}

  RpcBufferShare* share_ = nullptr;
  absl::Span<uint8_t> bytes_;
};

// Memory for calls of all connections of a thread, made at the beginning: for requests that come in
// more than one piece, and for answers that a peer does not read as fast as they are written. Most
// calls need it for a moment only. One thread; outlives its shares.
class RpcBufferPool {
 public:
  // Header and message of a request, with their heads. Also an answer's message with a status
  // behind it.
  static constexpr size_t kBufferSize = kMaxRpcHeader + kMaxRpcMessage + 2 * kMaxRpcFrameHead;

  explicit RpcBufferPool(size_t buffers);
  ~RpcBufferPool();
  RpcBufferPool(const RpcBufferPool&) = delete;
  RpcBufferPool& operator=(const RpcBufferPool&) = delete;

  size_t free() const { return free_.size(); }
  // How often there was none left.
  uint64_t exhausted() const { return exhausted_; }

 private:
  friend class RpcBuffer;
  friend class RpcBufferShare;

  const size_t buffers_;
  std::unique_ptr<uint8_t[]> memory_;
  // Reserved for all.
  std::vector<uint8_t*> free_;
  uint64_t exhausted_ = 0;
};

// What one connection may have of a pool, so that nobody can take it all. Outlives its buffers.
class RpcBufferShare {
 public:
  // At most `limit` buffers at a time.
  RpcBufferShare(RpcBufferPool& pool, size_t limit) : pool_(pool), limit_(limit) {}
  ~RpcBufferShare();
  RpcBufferShare(const RpcBufferShare&) = delete;
  RpcBufferShare& operator=(const RpcBufferShare&) = delete;

  // Empty when the limit is reached or the pool has none left; each is counted.
  RpcBuffer Take();

  size_t taken() const { return taken_; }
  // How often the limit was reached.
  uint64_t exhausted() const { return exhausted_; }

 private:
  friend class RpcBuffer;

  RpcBufferPool& pool_;
  const size_t limit_;
  size_t taken_ = 0;
  uint64_t exhausted_ = 0;
};

}  // namespace sluice

#endif  // QUIC_RPC_RPC_BUFFER_POOL_H_
