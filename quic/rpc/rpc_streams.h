#ifndef QUIC_RPC_RPC_STREAMS_H_
#define QUIC_RPC_RPC_STREAMS_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "quic/rpc/rpc_error_code.h"

namespace sluice {

// The number of a stream on the wire (RFC 9000 section 2.1); never used again on its connection.
using RpcStreamId = int64_t;
// Opened by the client, and both may send: the only kind that this protocol uses.
constexpr bool IsRpcStream(RpcStreamId id) { return (id & 3) == 0; }

// What a connection offers to those who speak on its streams. One thread. Calls nobody back while
// it is called. What is done to a stream that is no more does nothing.
class RpcStreams {
 public:
  virtual ~RpcStreams() = default;

  // Takes as many bytes as there is room for, to be sent in order, and returns how many; when that
  // is less than all, the stream's owner hears OnWritable when there is room again. `fin`: nothing
  // comes after them; counts only when all were taken. `bytes` is never empty.
  virtual size_t Write(RpcStreamId id, absl::Span<const uint8_t> bytes, bool fin) = 0;
  // RESET_STREAM: nothing more is sent; what waits is forgotten.
  virtual void Reset(RpcStreamId id, RpcErrorCode code) = 0;
  // STOP_SENDING: nothing more is wanted. Data may still be told of for a while.
  virtual void StopSending(RpcStreamId id, RpcErrorCode code) = 0;

  // Both, for a stream that is of no more use.
  void Shutdown(RpcStreamId id, RpcErrorCode code) {
    StopSending(id, code);
    Reset(id, code);
  }
};

// What a client needs besides.
class RpcClientStreams : public RpcStreams {
 public:
  // A new stream for a call; nothing while the peer allows no more.
  virtual std::optional<RpcStreamId> Open() = 0;
};

}  // namespace sluice

#endif  // QUIC_RPC_RPC_STREAMS_H_
