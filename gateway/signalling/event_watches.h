#ifndef GATEWAY_SIGNALLING_EVENT_WATCHES_H_
#define GATEWAY_SIGNALLING_EVENT_WATCHES_H_

#include <grpcpp/support/status.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/time_delta.h"
#include "base/timestamp.h"
#include "gateway/control/event_log.h"
#include "gateway/signalling/call_transport.h"
#include "gateway/signalling/participant_calls.h"
#include "gateway/tokens/participant_claims.h"
#include "proto/gateway/v1/events.pb.h"
#include "proto/signalling/v1/signalling_service.pb.h"

namespace sluice {

// Takes what streams of events say. May end any stream meanwhile, by EventWatches::Close.
class EventWatchSink {
 public:
  // The next message. False: it was not taken, and comes again after EventWatches::Resume.
  virtual bool OnEvent(Timestamp now, CallId id,
                       const signalling::v1::WatchEventsResponse& message) = 0;
  // The stream ended by itself and is forgotten.
  virtual void OnEnd(Timestamp now, CallId id, const grpc::Status& status) = 0;

 protected:
  ~EventWatchSink() = default;
};

// All streams of events of a thread, none of which holds one. Each event is read once and given to
// the streams of its session. Nothing is kept for a stream that does not take an event: it reads
// the log again later, and ends with OUT_OF_RANGE when that no longer has what comes next, as
// watchers over gRPC do. One thread; never waits.
class EventWatches {
 public:
  // All outlive the watches.
  EventWatches(ParticipantCalls& calls, const EventLog& log, EventWatchSink& sink)
      : calls_(calls), log_(log), sink_(sink) {}

  // A stream begins, and its first message goes to the sink before this returns. Otherwise why not,
  // and the sink hears nothing.
  grpc::Status Open(Timestamp now, CallId id, const ParticipantClaims& claims,
                    const signalling::v1::WatchEventsRequest& request);
  // It ends; nothing when there is no such stream any more.
  void Close(CallId id);
  // The sink takes messages again.
  void Resume(Timestamp now, CallId id);

  // Gives what there is to read, and ends streams whose tokens are no longer to be believed. True
  // when there is more than one turn should take: again soon.
  bool OnTurn(Timestamp now);

  // Any thread.
  size_t open() const { return open_.load(std::memory_order_relaxed); }

 private:
  enum class State : uint8_t {
    // Has all that was read for all streams.
    kCurrent,
    // Reads by itself, a few batches each turn.
    kReading,
    // The sink did not take the next one.
    kBlocked,
  };
  struct Watch {
    ParticipantWatch watch;
    State state = State::kReading;
    bool begun = false;
  };

  // Null when it has ended.
  Watch* Find(CallId id);
  void End(Timestamp now, CallId id, const grpc::Status& status);
  // False when the stream ended or does not take it.
  bool Offer(Timestamp now, CallId id, const signalling::v1::WatchEventsResponse& message);
  bool OfferEvent(Timestamp now, CallId id, const gateway::v1::Event& event);
  // Ends a stream whose token is no longer good; false then.
  bool CheckToken(Timestamp now, CallId id);
  void CheckTokens(Timestamp now);
  // From where the stream is, as far as one turn goes.
  void CatchUp(Timestamp now, CallId id);
  // For all that are current. True: there is more.
  bool ReadForAll(Timestamp now);
  // They read by themselves, and find out what is wrong.
  void LetAllRead();
  std::vector<CallId> Ids() const;

  ParticipantCalls& calls_;
  const EventLog& log_;
  EventWatchSink& sink_;
  absl::flat_hash_map<CallId, Watch> watches_;
  absl::flat_hash_map<std::string, std::vector<CallId>> by_session_;
  // In state kReading, or were.
  std::vector<CallId> reading_;
  // The newest event that was read for all.
  uint64_t sequence_ = 0;
  Timestamp tokens_checked_ = Timestamp::MinusInfinity();
  std::atomic<size_t> open_{0};
};

}  // namespace sluice

#endif  // GATEWAY_SIGNALLING_EVENT_WATCHES_H_
