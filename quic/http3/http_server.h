#ifndef QUIC_HTTP3_HTTP_SERVER_H_
#define QUIC_HTTP3_HTTP_SERVER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/buffer_pool.h"
#include "base/timestamp.h"
#include "quic/http3/http_buffer_pool.h"
#include "quic/http3/http_client_streams.h"
#include "quic/http3/http_error_code.h"
#include "quic/http3/http_limits.h"
#include "quic/http3/http_outflow.h"
#include "quic/http3/http_request_builder.h"
#include "quic/http3/http_service.h"
#include "quic/http3/http_session.h"
#include "quic/http3/http_streams.h"

namespace sluice {

// Of one connection, or of all that count together.
struct HttpServerCounters {
  // Requests that were complete and went to the service, and how these ended.
  uint64_t requests = 0;
  uint64_t finished = 0;
  uint64_t cancelled_by_client = 0;
  uint64_t connections_lost = 0;
  uint64_t answers_broken = 0;

  // Streams that came to no request.
  uint64_t too_many_requests = 0;
  uint64_t rejected_while_draining = 0;
  uint64_t malformed = 0;
  uint64_t incomplete = 0;
  uint64_t fields_repeated = 0;
  uint64_t fields_too_long = 0;
  uint64_t bodies_too_long = 0;
  uint64_t requests_too_large = 0;
  uint64_t requests_without_buffer = 0;
  uint64_t requests_too_slow = 0;
  uint64_t requests_abandoned = 0;

  // Answers.
  uint64_t pieces = 0;
  uint64_t pieces_blocked = 0;
  uint64_t pieces_too_long = 0;
  // Answers to requests that had ended.
  uint64_t stale = 0;
  // The client did not read it in time, before or after the end of the answer.
  uint64_t answers_too_slow = 0;
  // The answer was finished, and the client did not want the rest.
  uint64_t answers_abandoned = 0;

  // Unidirectional streams of an unknown type.
  uint64_t unknown_streams = 0;
  // Rules that were broken so that a connection ends.
  uint64_t failures = 0;
};

// The requests of one connection, seen from the server: reads them, asks the service, writes
// answers, watches times. Knows no QUIC: who has the connection tells of its events, and may give
// the peer as much credit as it tells of bytes. One thread.
//
// Its own memory is made by the constructor; what nghttp3 needs is made with the first bytes of a
// client that has proved its address or its key, and stays below kMaxHttpStateMemory.
class HttpServer : private HttpResponder, private HttpSessionEvents {
 public:
  // `limits` are those that CheckHttpLimits accepts. All others outlive it. With `shared` it counts
  // there, with others. `source`: who is at the other end, for the pool.
  HttpServer(const HttpLimits& limits, HttpStreams& streams, HttpService& service,
             HttpBufferPool& pool, HttpServerCounters* shared = nullptr,
             BufferSource source = BufferSource());
  // Tells nobody; see OnConnectionClosed.
  ~HttpServer() override = default;
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // ---- What happens on the connection. `now` never goes back. ----

  // The handshake is done: SETTINGS are sent (RFC 9114 section 7.2.4.2).
  void OnConnected(Timestamp now);
  // The client opened a stream.
  void OnStreamOpened(Timestamp now, StreamId id);
  // The next bytes; `fin`: the last ones, maybe none; `early`: they came before the handshake was
  // done. Those of streams that were given up are ignored.
  void OnStreamData(Timestamp now, StreamId id, absl::Span<const uint8_t> data, bool fin,
                    bool early);
  // The client gives up sending, or does not want the answer.
  void OnStreamReset(StreamId id);
  void OnStopSending(StreamId id);
  // There is room again, or the stream is gone altogether.
  void OnWritable(Timestamp now, StreamId id);
  void OnStreamClosed(StreamId id);
  // All streams are gone.
  void OnConnectionClosed();

  // Does everything due at or before `now`.
  void HandleTimeout(Timestamp now);
  // When that is next needed; PlusInfinity() for never.
  Timestamp NextTimeout() const;

  // Tells the client to ask elsewhere (GOAWAY), and refuses what comes later than
  // limits.goaway_notice; requests that were made go on.
  void Drain(Timestamp now);
  // Nothing is taken any more and nothing is left to answer.
  bool drained() const { return draining_ && open_requests_ == 0 && !goaway_due_.IsFinite(); }

  // The client broke a rule: the connection is to be closed with this. Nothing is done any more.
  const std::optional<HttpErrorCode>& failure() const { return failure_; }
  // Streams that are in use: requests that come in, are answered, and answers that go out.
  size_t open_requests() const { return open_requests_; }
  // As ServedConnection::fruitless_streams.
  uint64_t fruitless_streams() const { return fruitless_streams_; }
  const HttpServerCounters& counters() const { return counters_; }
  const HttpBufferShare& buffers() const { return share_; }
  // Bytes that nghttp3 has.
  size_t state_bytes() const { return session_ == nullptr ? 0 : session_->memory().used(); }

 private:
  enum class State : uint8_t {
    kFree,
    // The request is coming.
    kReading,
    // The service has it.
    kServing,
    // The answer was finished, and not all has gone out.
    kDraining,
  };

  struct Slot {
    State state = State::kFree;
    // Some of the request was early.
    bool early = false;
    // The builder has a buffer.
    bool started = false;
    // All fields of the request are there.
    bool fields_end = false;
    // The answer has begun.
    bool begun = false;
    // Its body is dropped.
    bool without_body = false;
    // The service waits for OnWritable.
    bool wants_room = false;
    StreamId id = -1;
    // What came on the stream.
    size_t bytes = 0;
    // When the present state must have ended.
    Timestamp due = Timestamp::PlusInfinity();
    // When what waits of an answer must have gone out; PlusInfinity() if nothing does.
    Timestamp drained = Timestamp::PlusInfinity();
    HttpRequestBuilder builder;
    HttpRequestBuilder::Verdict verdict = HttpRequestBuilder::Verdict::kTaken;
    HttpOutflow outflow;
  };

  // HttpResponder.
  HttpSendVerdict Begin(Timestamp now, StreamId id, const HttpAnswer& answer) override;
  HttpSendVerdict Send(Timestamp now, StreamId id, absl::Span<const uint8_t> piece) override;
  bool Finish(Timestamp now, StreamId id) override;

  // HttpSessionEvents, while reading_ is read.
  void OnField(StreamId id, absl::string_view name, absl::string_view value) override;
  void OnFieldsEnd(StreamId id) override;
  void OnTrailer(StreamId id, absl::string_view name, absl::string_view value) override;
  void OnBody(StreamId id, absl::Span<const uint8_t> bytes) override;

  // Null when no slot in use has it.
  Slot* Find(StreamId id);
  void Free(Slot& slot);
  // Frees the slot and gives up its stream.
  void Abandon(Slot& slot, HttpErrorCode code);
  // ... because the client broke a rule on it.
  void AbandonFaulty(Slot& slot, HttpErrorCode code);
  // The client gave up, by one way or the other.
  void Cancel(StreamId id);
  // Nothing of the request was done: it may be made again elsewhere (section 4.1.1).
  void Reject(StreamId id);

  // The session, made at its first use; false after a failure.
  bool EnsureSession(Timestamp now);
  void Fail(HttpErrorCode code);
  void FlushControl();
  void OnClientStream(HttpClientStreams::Verdict verdict, StreamId id);
  void AnnounceGoaway(Timestamp now);
  void SendGoaway();

  // Bytes of a request.
  void Read(Timestamp now, Slot& slot, absl::Span<const uint8_t> data, bool fin);
  // Whether the request goes on.
  bool Judge(Timestamp now, Slot& slot, HttpSession::Verdict verdict, bool fin);
  // Answers without the service. `fin`: nothing more of the request comes.
  void Refuse(Timestamp now, Slot& slot, int status, bool fin);
  // The request is complete.
  void Serve(Timestamp now, Slot& slot);
  // Whether it could be sent; if not, the slot is free.
  bool SendFields(Timestamp now, Slot& slot, const HttpAnswer& answer);
  void SendEnd(Timestamp now, Slot& slot);
  // If something began to wait, it does not wait for ever.
  void NoteWaiting(Timestamp now, Slot& slot);
  void Expire(Slot& slot);

  const HttpLimits limits_;
  HttpStreams& streams_;
  HttpService& service_;
  // Before the slots, whose buffers it lent.
  HttpBufferShare share_;
  std::vector<Slot> slots_;
  std::unique_ptr<HttpSession> session_;
  HttpClientStreams client_streams_;
  // While the session reads.
  Slot* reading_ = nullptr;
  size_t open_requests_ = 0;
  uint64_t fruitless_streams_ = 0;
  bool draining_ = false;
  Timestamp goaway_due_ = Timestamp::PlusInfinity();
  // Once it was sent.
  std::optional<StreamId> first_refused_;
  std::optional<HttpErrorCode> failure_;
  HttpServerCounters own_counters_;
  HttpServerCounters& counters_;
};

}  // namespace sluice

#endif  // QUIC_HTTP3_HTTP_SERVER_H_
