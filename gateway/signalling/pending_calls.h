#ifndef GATEWAY_SIGNALLING_PENDING_CALLS_H_
#define GATEWAY_SIGNALLING_PENDING_CALLS_H_

#include <google/protobuf/message.h>
#include <grpcpp/support/status.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "base/timestamp.h"
#include "gateway/control/event_log.h"
#include "gateway/signalling/call_counters.h"
#include "gateway/signalling/call_threads.h"
#include "gateway/signalling/call_transport.h"
#include "gateway/signalling/event_bell.h"
#include "gateway/signalling/event_watches.h"
#include "gateway/signalling/participant_calls.h"
#include "gateway/signalling/signalling_methods.h"
#include "gateway/signalling/token_places.h"
#include "gateway/tokens/participant_claims.h"
#include "proto/signalling/v1/signalling_service.pb.h"
#include "quic/server/turn_work.h"

namespace sluice {

struct PendingCallLimits {
  // Calls of all connections that were taken and are not answered yet, streams apart: those that
  // threads have or will have, and some whose clients do not read. A token has kCallsPerToken of
  // them at most, so it takes many to fill this.
  size_t calls = 1024;
  // Streams of events, none of which holds a thread: one for each participant that may be here.
  size_t streams = 8192;
};

// An answer of more bytes is not given (quic/rpc takes no more); none of ours comes near.
inline constexpr size_t kMaxAnswerBytes = 64 * 1024;

// What a client asks for. Views that last as long as PendingCalls::Submit.
struct CallRequest {
  const SignallingMethodRow* method;
  // nullopt: it brought none.
  std::optional<absl::string_view> token;
  absl::Span<const uint8_t> body;
  // It came as 0-RTT data.
  bool early = false;
};

// How many there are. Any thread may ask.
struct PendingCallUsage {
  size_t calls = 0;
  size_t streams = 0;
  // For want of a place: limits "pending_calls" and "event_streams".
  uint64_t calls_refused = 0;
  uint64_t streams_refused = 0;
  // Their clients were gone before a thread took them: nothing was done.
  uint64_t not_begun = 0;
  // Their clients were gone before the answer: it was done, and nobody heard.
  uint64_t answers_lost = 0;
};

// The calls of participants of one thread that has connections and must never wait: hands what
// waits for media workers to other threads, and gives answers and events out in the thread's own
// turns. All transports of the thread share it. Everything is for that thread unless it says
// otherwise.
class PendingCalls final : public TurnWork, private EventWatchSink {
 public:
  // `wake` makes the thread call OnTurn soon; called on any thread, once for each turn that is due,
  // until this is destroyed. All others outlive this.
  PendingCalls(ParticipantCalls& calls, const EventLog& log, CallThreads& threads,
               const PendingCallLimits& limits, std::function<void()> wake);
  // Waits for calls that are being made; their answers are lost. Transports may be gone.
  ~PendingCalls() override;
  PendingCalls(const PendingCalls&) = delete;
  PendingCalls& operator=(const PendingCalls&) = delete;

  // For the next call of any transport.
  CallId NewId() { return CallId{next_id_++}; }

  // A call, which `transport` knows by `id` until it has finished it or says Cancel. May be
  // answered before this returns.
  void Submit(Timestamp now, CallTransport& transport, CallId id, const CallRequest& request);
  // A call that ends with `status` whatever is in it. `method` is null when there is no such.
  void Refuse(Timestamp now, CallTransport& transport, CallId id, const SignallingMethodRow* method,
              const grpc::Status& status);
  // The client is gone. What a thread has begun of the call is finished, and its answer dropped.
  void Cancel(CallId id);
  // The transport takes more of the answer.
  void OnWritable(Timestamp now, CallId id);

  // TurnWork.
  void OnTurn(Timestamp now) override;

  // Any thread.
  PendingCallUsage usage() const;
  const CallCounters& counters() const { return counters_; }

 private:
  // Shared by the call and what a thread has of it: who cancels does not get the place back before
  // the thread has seen it.
  using SharedPlace = std::shared_ptr<const TokenPlaces::Place>;
  struct Call {
    CallTransport* transport;
    const SignallingMethodRow* method;
    // Null for a stream, and for what was refused: that takes nothing but memory of its connection.
    SharedPlace place;
    // What goes out next: a message, then the end.
    std::optional<std::string> message;
    std::optional<grpc::Status> status;
  };
  struct Answer {
    CallId id;
    std::optional<std::string> message;
    grpc::Status status;
  };
  // A call that a thread has or will have, made or dropped at the end of its life.
  class InFlight;

  // EventWatchSink.
  bool OnEvent(Timestamp now, CallId id,
               const signalling::v1::WatchEventsResponse& message) override;
  void OnEnd(Timestamp now, CallId id, const grpc::Status& status) override;

  // Null when it is over.
  Call* Find(CallId id);
  void Forget(CallId id);
  // What a call ends with; sends what it can.
  void Finish(Timestamp now, CallId id, std::optional<std::string> message,
              const grpc::Status& status);
  // A place for a call or a stream, as long as there are some; what it is refused with otherwise.
  grpc::Status Admit(const ParticipantClaims& claims, const SignallingMethodRow& method,
                     SharedPlace& place);
  // Sends the message and the end if there are any.
  void Flush(Timestamp now, CallId id);
  void Start(Timestamp now, CallId id, const ParticipantClaims& claims,
             std::unique_ptr<google::protobuf::Message> request);
  void HandOver(Timestamp now, CallId id, const ParticipantClaims& claims,
                std::unique_ptr<google::protobuf::Message> request);
  // On a thread of `threads_`.
  void Make(CallId id, const SignallingMethodRow& method, const CallCodec& codec,
            const ParticipantClaims& claims, const google::protobuf::Message& request,
            SharedPlace place);
  // OnTurn is due. Any thread.
  void SetReady();

  ParticipantCalls& calls_;
  CallThreads& threads_;
  const PendingCallLimits limits_;
  const std::function<void()> wake_;
  uint64_t next_id_ = 1;
  absl::flat_hash_map<CallId, Call> pending_;
  EventWatches watches_;
  CallCounters counters_;
  // Written by the thread alone.
  std::atomic<size_t> unary_{0};
  std::atomic<uint64_t> calls_refused_{0};
  std::atomic<uint64_t> streams_refused_{0};

  // There is something for OnTurn.
  std::atomic<bool> ready_{false};

  mutable absl::Mutex mutex_;
  // Calls whose answers somebody waits for.
  absl::flat_hash_set<CallId> awaited_ ABSL_GUARDED_BY(mutex_);
  // At most one for each of `awaited_`.
  std::vector<Answer> answers_ ABSL_GUARDED_BY(mutex_);
  size_t in_flight_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t not_begun_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t answers_lost_ ABSL_GUARDED_BY(mutex_) = 0;

  // Last: rings until it is destroyed.
  EventBell bell_;
};

}  // namespace sluice

#endif  // GATEWAY_SIGNALLING_PENDING_CALLS_H_
