#ifndef QUIC_RPC_RPC_CLIENT_H_
#define QUIC_RPC_RPC_CLIENT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/timestamp.h"
#include "quic/rpc/rpc_buffer_pool.h"
#include "quic/rpc/rpc_client_events.h"
#include "quic/rpc/rpc_error_code.h"
#include "quic/rpc/rpc_limits.h"
#include "quic/rpc/rpc_outflow.h"
#include "quic/rpc/rpc_request_header.h"
#include "quic/rpc/rpc_response_reader.h"
#include "quic/rpc/rpc_streams.h"

namespace sluice {

struct RpcClientCounters {
  uint64_t calls = 0;
  // How they ended: with a status, by a failure, or given up by their owner.
  uint64_t answered = 0;
  uint64_t failed = 0;
  uint64_t cancelled = 0;
  uint64_t messages = 0;
};

// The calls of one connection, seen from the client: writes requests, reads answers, watches
// deadlines. As RpcServer, knows no QUIC and is told of events. Allocates in its constructor only,
// apart from errors. One thread.
class RpcClient {
 public:
  // `limits` are those that CheckRpcLimits accepts, of which calls and buffers count here. All
  // others outlive it.
  RpcClient(const RpcLimits& limits, RpcClientStreams& streams, RpcClientEvents& events,
            RpcBufferPool& pool);
  RpcClient(const RpcClient&) = delete;
  RpcClient& operator=(const RpcClient&) = delete;

  // Makes a call; its name, under which events tell of it. InvalidArgument when the header breaks
  // its rules or something is too long; ResourceExhausted when there are too many calls, the server
  // allows no more streams, or there is no memory.
  absl::StatusOr<RpcStreamId> Start(Timestamp now, const RpcRequestHeader& header,
                                    absl::Span<const uint8_t> message);
  // Gives up a call; there are no more events of it. False when there is none of that name.
  bool Cancel(RpcStreamId id);

  // ---- What happens on the connection. ----

  // The next bytes; `fin`: the last ones, maybe none.
  void OnStreamData(RpcStreamId id, absl::Span<const uint8_t> data, bool fin);
  // The server gives up answering.
  void OnStreamReset(RpcStreamId id, uint64_t code);
  // The server wants no more of the request. It still says how the call ends.
  void OnStopSending(RpcStreamId id);
  // There is room again.
  void OnWritable(RpcStreamId id);
  // The stream, or all of them, are gone.
  void OnStreamClosed(RpcStreamId id);
  void OnConnectionClosed();

  // Does everything due at or before `now`.
  void HandleTimeout(Timestamp now);
  // When that is next needed; PlusInfinity() for never.
  Timestamp NextTimeout() const;

  size_t open_calls() const { return open_calls_; }
  const RpcClientCounters& counters() const { return counters_; }
  const RpcBufferShare& buffers() const { return share_; }

 private:
  struct Slot {
    bool in_use = false;
    RpcStreamId id = -1;
    Timestamp deadline = Timestamp::PlusInfinity();
    RpcOutflow outflow;
    RpcResponseReader reader;
  };

  Slot* Find(RpcStreamId id);
  void Free(Slot& slot);
  // Writes both frames; whether all of it was taken.
  bool SendRequest(Slot& slot, absl::Span<const uint8_t> header, absl::Span<const uint8_t> message);
  // Gives up the stream and tells so.
  void Fail(Slot& slot, RpcFailureCause cause, RpcErrorCode code);
  // The stream is gone already.
  void Lose(Slot& slot, const RpcFailure& failure);

  const RpcLimits limits_;
  RpcClientStreams& streams_;
  RpcClientEvents& events_;
  // Before the slots, whose buffers it lent.
  RpcBufferShare share_;
  std::vector<Slot> slots_;
  size_t open_calls_ = 0;
  RpcClientCounters counters_;
};

}  // namespace sluice

#endif  // QUIC_RPC_RPC_CLIENT_H_
