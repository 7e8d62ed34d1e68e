#ifndef QUIC_RPC_RPC_SERVER_H_
#define QUIC_RPC_RPC_SERVER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/buffer_pool.h"
#include "base/timestamp.h"
#include "quic/rpc/rpc_buffer_pool.h"
#include "quic/rpc/rpc_error_code.h"
#include "quic/rpc/rpc_limits.h"
#include "quic/rpc/rpc_outflow.h"
#include "quic/rpc/rpc_request_reader.h"
#include "quic/rpc/rpc_service.h"
#include "quic/rpc/rpc_streams.h"

namespace sluice {

// Of the calls of one connection, or of many.
struct RpcServerCounters {
  // Requests that were complete and went to the service, and how these calls ended.
  uint64_t calls = 0;
  uint64_t finished = 0;
  uint64_t cancelled_by_client = 0;
  uint64_t deadlines_exceeded = 0;
  uint64_t connections_lost = 0;
  uint64_t answers_broken = 0;

  // Streams that came to no call.
  uint64_t too_many_calls = 0;
  uint64_t refused_while_draining = 0;
  uint64_t streams_unexpected = 0;
  uint64_t frames_unexpected = 0;
  uint64_t frames_too_long = 0;
  uint64_t frames_malformed = 0;
  uint64_t too_much_unknown = 0;
  uint64_t requests_truncated = 0;
  uint64_t requests_without_buffer = 0;
  uint64_t requests_too_slow = 0;
  uint64_t requests_abandoned = 0;

  // Answers.
  uint64_t messages = 0;
  uint64_t messages_blocked = 0;
  uint64_t messages_too_long = 0;
  uint64_t statuses_too_long = 0;
  // Answers to calls that had ended.
  uint64_t stale = 0;
  // The client did not read it in time, before or after the end of the call.
  uint64_t answers_too_slow = 0;
  // The call was finished, and the client did not want the rest.
  uint64_t answers_abandoned = 0;
};

// The calls of one connection, seen from the server: reads requests, asks the service, writes
// answers, watches deadlines. Knows no QUIC: who has the connection tells of its events, and may
// give the peer as much credit as it tells of bytes. Allocates in its constructor only. One thread.
class RpcServer : private RpcResponder {
 public:
  // `limits` are those that CheckRpcLimits accepts. All others outlive it; connections of a thread
  // may count together. `source`: who is at the other end, for the pool.
  RpcServer(const RpcLimits& limits, RpcStreams& streams, RpcService& service, RpcBufferPool& pool,
            RpcServerCounters& counters, BufferSource source = BufferSource());
  // Tells nobody; see OnConnectionClosed.
  ~RpcServer() override = default;
  RpcServer(const RpcServer&) = delete;
  RpcServer& operator=(const RpcServer&) = delete;

  // ---- What happens on the connection. `now` never goes back. ----

  // The client opened a stream.
  void OnStreamOpened(Timestamp now, RpcStreamId id);
  // The next bytes; `fin`: the last ones, maybe none; `early`: they came before the handshake was
  // done. Those of streams that were given up are ignored.
  void OnStreamData(Timestamp now, RpcStreamId id, absl::Span<const uint8_t> data, bool fin,
                    bool early);
  // The client gives up sending, or does not want the answer.
  void OnStreamReset(RpcStreamId id);
  void OnStopSending(RpcStreamId id);
  // There is room again, or the stream is gone altogether.
  void OnWritable(Timestamp now, RpcStreamId id);
  void OnStreamClosed(RpcStreamId id);
  // All streams are gone.
  void OnConnectionClosed();

  // Does everything due at or before `now`.
  void HandleTimeout(Timestamp now);
  // When that is next needed; PlusInfinity() for never.
  Timestamp NextTimeout() const;

  // Refuses calls from now on; those that were made go on.
  void Drain() { draining_ = true; }

  // Streams that are in use: requests that come in, calls, answers that go out.
  size_t open_calls() const { return open_calls_; }
  // Streams that have come to nothing by the client's own doing: it gave them up before all of the
  // answer had gone out, or broke a rule on them.
  uint64_t fruitless_streams() const { return fruitless_streams_; }
  const RpcBufferShare& buffers() const { return share_; }

 private:
  enum class State : uint8_t {
    kFree,
    // The request is coming.
    kReading,
    // The service has it.
    kServing,
    // It was finished, and not all has gone out.
    kDraining,
  };

  struct Slot {
    State state = State::kFree;
    // Some of the request was early.
    bool early = false;
    // The service waits for OnWritable.
    bool wants_room = false;
    RpcStreamId id = -1;
    Timestamp opened = Timestamp::Zero();
    // When the present state must have ended.
    Timestamp due = Timestamp::PlusInfinity();
    // When what waits of a call that is served must have gone out; PlusInfinity() if nothing does.
    Timestamp drained = Timestamp::PlusInfinity();
    RpcRequestReader reader;
    RpcOutflow outflow;
  };

  // RpcResponder.
  RpcSendVerdict Send(Timestamp now, RpcStreamId id, absl::Span<const uint8_t> message) override;
  bool Finish(Timestamp now, RpcStreamId id, absl::Span<const uint8_t> status) override;

  // Null when no slot in use has it.
  Slot* Find(RpcStreamId id);
  void Free(Slot& slot);
  // Frees the slot and gives up its stream.
  void Abandon(Slot& slot, RpcErrorCode code);
  // The client gave up, by one way or the other.
  void Cancel(RpcStreamId id);
  // The request is complete.
  void Serve(Timestamp now, Slot& slot);
  // The request is not one.
  void Refuse(Slot& slot, RpcRequestReader::Verdict fault);
  // The last frame.
  void SendStatus(Timestamp now, Slot& slot, absl::Span<const uint8_t> status);
  void Expire(Timestamp now, Slot& slot);

  const RpcLimits limits_;
  RpcStreams& streams_;
  RpcService& service_;
  // Before the slots, whose buffers it lent.
  RpcBufferShare share_;
  std::vector<Slot> slots_;
  size_t open_calls_ = 0;
  uint64_t fruitless_streams_ = 0;
  bool draining_ = false;
  RpcServerCounters& counters_;
};

}  // namespace sluice

#endif  // QUIC_RPC_RPC_SERVER_H_
