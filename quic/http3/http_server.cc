#include "quic/http3/http_server.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/timestamp.h"
#include "quic/http3/http_answer_fields.h"

namespace sluice {
namespace {

// RFC 9110 section 15, RFC 6585 section 5.
constexpr int kBadRequest = 400;
constexpr int kContentTooLarge = 413;
constexpr int kFieldsTooLarge = 431;
constexpr int kInternalServerError = 500;
constexpr int kServiceUnavailable = 503;
constexpr int kNoContent = 204;
constexpr int kNotModified = 304;

// RFC 9110 section 6.4.1.
constexpr bool HasBody(int status) { return status != kNoContent && status != kNotModified; }

}  // namespace

HttpServer::HttpServer(const HttpLimits& limits, HttpStreams& streams, HttpService& service,
                       HttpBufferPool& pool, HttpServerCounters* shared, BufferSource source)
    : limits_(limits),
      streams_(streams),
      service_(service),
      share_(pool, limits.buffers, source),
      slots_(limits.requests),
      counters_(shared != nullptr ? *shared : own_counters_) {}

// ---- Slots. ----

HttpServer::Slot* HttpServer::Find(StreamId id) {
  const auto found = std::find_if(slots_.begin(), slots_.end(), [id](const Slot& slot) {
    return slot.state != State::kFree && slot.id == id;
  });
  return found == slots_.end() ? nullptr : &*found;
}

void HttpServer::Free(Slot& slot) {
  if (session_ != nullptr) session_->Forget(slot.id);
  slot = Slot();
  --open_requests_;
}

void HttpServer::Abandon(Slot& slot, HttpErrorCode code) {
  if (slot.state == State::kReading) streams_.StopSending(slot.id, code);
  streams_.Reset(slot.id, code);
  Free(slot);
}

void HttpServer::AbandonFaulty(Slot& slot, HttpErrorCode code) {
  ++fruitless_streams_;
  Abandon(slot, code);
}

void HttpServer::Reject(StreamId id) {
  streams_.StopSending(id, HttpErrorCode::kRequestRejected);
  streams_.Reset(id, HttpErrorCode::kRequestRejected);
}

void HttpServer::Cancel(StreamId id) {
  Slot* const slot = Find(id);
  if (slot == nullptr) return;
  const State state = slot->state;
  ++fruitless_streams_;
  Abandon(*slot, HttpErrorCode::kRequestCancelled);
  switch (state) {
    case State::kReading:
      ++counters_.requests_abandoned;
      break;
    case State::kServing:
      ++counters_.cancelled_by_client;
      service_.OnCancelled(HttpCall(*this, id), HttpCancelCause::kByClient);
      break;
    case State::kDraining:
      ++counters_.answers_abandoned;
      break;
    case State::kFree:
      break;
  }
}

// ---- The connection. ----

void HttpServer::OnConnected(Timestamp now) { static_cast<void>(EnsureSession(now)); }

bool HttpServer::EnsureSession(Timestamp now) {
  if (failure_.has_value()) return false;
  if (session_ != nullptr) return true;
  session_ = HttpSession::Create(*this, streams_);
  if (session_ == nullptr) {
    Fail(HttpErrorCode::kGeneralProtocolError);
    return false;
  }
  if (draining_) AnnounceGoaway(now);
  return !failure_.has_value();
}

void HttpServer::Fail(HttpErrorCode code) {
  if (failure_.has_value()) return;
  failure_ = code;
  ++counters_.failures;
}

void HttpServer::FlushControl() {
  if (session_ == nullptr || !session_->control_waits()) return;
  if (session_->FlushControl() == HttpSession::Verdict::kFailed) Fail(session_->failure());
}

void HttpServer::OnClientStream(HttpClientStreams::Verdict verdict, StreamId id) {
  switch (verdict) {
    case HttpClientStreams::Verdict::kTaken:
      break;
    case HttpClientStreams::Verdict::kUnknownStream:
      // RFC 9114 section 6.2.
      ++counters_.unknown_streams;
      streams_.StopSending(id, HttpErrorCode::kStreamCreationError);
      break;
    case HttpClientStreams::Verdict::kFault:
      Fail(client_streams_.fault());
      break;
  }
}

void HttpServer::Drain(Timestamp now) {
  if (draining_) return;
  draining_ = true;
  if (session_ != nullptr && !failure_.has_value()) AnnounceGoaway(now);
}

void HttpServer::AnnounceGoaway(Timestamp now) {
  if (session_->AnnounceGoaway() == HttpSession::Verdict::kFailed) return Fail(session_->failure());
  goaway_due_ = now + limits_.goaway_notice;
}

void HttpServer::SendGoaway() {
  goaway_due_ = Timestamp::PlusInfinity();
  StreamId first_refused = 0;
  if (session_->SendGoaway(first_refused) == HttpSession::Verdict::kFailed) {
    return Fail(session_->failure());
  }
  first_refused_ = first_refused;
  // Of these no byte came yet: the client is told that they may be made again elsewhere.
  for (Slot& slot : slots_) {
    if (slot.state != State::kReading || slot.id < first_refused) continue;
    ++counters_.rejected_while_draining;
    Abandon(slot, HttpErrorCode::kRequestRejected);
  }
}

void HttpServer::OnConnectionClosed() {
  if (!failure_.has_value()) failure_ = HttpErrorCode::kNone;
  for (Slot& slot : slots_) {
    if (slot.state == State::kFree) continue;
    const StreamId id = slot.id;
    const bool serving = slot.state == State::kServing;
    Free(slot);
    if (!serving) continue;
    ++counters_.connections_lost;
    service_.OnCancelled(HttpCall(*this, id), HttpCancelCause::kConnectionLost);
  }
  session_.reset();
  goaway_due_ = Timestamp::PlusInfinity();
}

// ---- Streams. ----

void HttpServer::OnStreamOpened(Timestamp now, StreamId id) {
  if (failure_.has_value()) return;
  if (!IsBidirectional(id)) return OnClientStream(client_streams_.OnOpened(), id);
  // Those before are still under way, and were promised to be served.
  if (first_refused_.has_value() && id >= *first_refused_) {
    ++counters_.rejected_while_draining;
    return Reject(id);
  }
  const auto slot = std::find_if(slots_.begin(), slots_.end(),
                                 [](const Slot& each) { return each.state == State::kFree; });
  if (slot == slots_.end()) {
    ++counters_.too_many_requests;
    return Reject(id);
  }
  ++open_requests_;
  slot->state = State::kReading;
  slot->id = id;
  slot->due = now + limits_.request_timeout;
}

void HttpServer::OnStreamData(Timestamp now, StreamId id, absl::Span<const uint8_t> data, bool fin,
                              bool early) {
  if (!EnsureSession(now)) return;
  FlushControl();
  if (failure_.has_value()) return;
  if (!IsBidirectional(id)) return OnClientStream(client_streams_.OnData(id, data, fin), id);
  Slot* const slot = Find(id);
  if (slot == nullptr || slot->state != State::kReading) return;
  slot->early = slot->early || early;
  reading_ = slot;
  Read(now, *slot, data, fin);
  reading_ = nullptr;
}

void HttpServer::OnStreamReset(StreamId id) {
  if (failure_.has_value()) return;
  if (!IsBidirectional(id)) return OnClientStream(client_streams_.OnReset(id), id);
  Cancel(id);
}

void HttpServer::OnStopSending(StreamId id) {
  // Of ours that all depends on the end is told, too.
  if (IsBidirectional(id)) Cancel(id);
}

void HttpServer::OnStreamClosed(StreamId id) {
  if (IsBidirectional(id)) return Cancel(id);
  // RFC 9114 section 6.2.1, RFC 9204 section 4.2: one of ours ends only if the client stopped it.
  if (IsOpenedByServer(id)) return Fail(HttpErrorCode::kClosedCriticalStream);
  client_streams_.OnClosed(id);
}

void HttpServer::OnWritable(Timestamp now, StreamId id) {
  if (failure_.has_value()) return;
  if (!IsBidirectional(id)) return FlushControl();
  Slot* const slot = Find(id);
  if (slot == nullptr || !slot->outflow.Flush(id, streams_)) return;
  if (slot->state == State::kDraining) return Free(*slot);
  slot->drained = Timestamp::PlusInfinity();
  if (!slot->wants_room) return;
  slot->wants_room = false;
  service_.OnWritable(now, HttpCall(*this, id));
}

// ---- Requests. ----

void HttpServer::Read(Timestamp now, Slot& slot, absl::Span<const uint8_t> data, bool fin) {
  if (!slot.started) {
    // Makes the stream known, so that it can be answered in any case.
    if (!Judge(now, slot, session_->Read(slot.id, {}), fin)) return;
    slot.started = slot.builder.Start(share_);
    if (!slot.started) {
      ++counters_.requests_without_buffer;
      return Refuse(now, slot, kServiceUnavailable, fin);
    }
  }
  slot.bytes += data.size();
  if (slot.bytes > kMaxHttpRequestBytes) {
    ++counters_.requests_too_large;
    return AbandonFaulty(slot, HttpErrorCode::kExcessiveLoad);
  }
  if (!Judge(now, slot, session_->Read(slot.id, data), fin)) return;
  if (!fin) return;
  if (!Judge(now, slot, session_->ReadEnd(slot.id), fin)) return;
  Serve(now, slot);
}

bool HttpServer::Judge(Timestamp now, Slot& slot, HttpSession::Verdict verdict, bool fin) {
  switch (verdict) {
    case HttpSession::Verdict::kTaken:
      break;
    case HttpSession::Verdict::kMalformed:
      ++counters_.malformed;
      AbandonFaulty(slot, HttpErrorCode::kMessageError);
      return false;
    case HttpSession::Verdict::kIncomplete:
      ++counters_.incomplete;
      AbandonFaulty(slot, HttpErrorCode::kRequestIncomplete);
      return false;
    case HttpSession::Verdict::kFailed:
      Fail(session_->failure());
      return false;
  }
  // Fields that nobody wants to see are not told of, but were sent.
  if (!slot.fields_end && slot.bytes > kMaxHttpFieldSection) {
    slot.verdict = HttpRequestBuilder::Verdict::kFieldsTooLong;
  }
  switch (slot.verdict) {
    case HttpRequestBuilder::Verdict::kTaken:
      return true;
    case HttpRequestBuilder::Verdict::kMalformed:
      ++counters_.malformed;
      AbandonFaulty(slot, HttpErrorCode::kMessageError);
      break;
    case HttpRequestBuilder::Verdict::kRepeated:
      ++counters_.fields_repeated;
      Refuse(now, slot, kBadRequest, fin);
      break;
    case HttpRequestBuilder::Verdict::kFieldsTooLong:
      ++counters_.fields_too_long;
      Refuse(now, slot, kFieldsTooLarge, fin);
      break;
    case HttpRequestBuilder::Verdict::kBodyTooLong:
      ++counters_.bodies_too_long;
      Refuse(now, slot, kContentTooLarge, fin);
      break;
  }
  return false;
}

void HttpServer::OnField(StreamId /*id*/, absl::string_view name, absl::string_view value) {
  if (reading_->verdict != HttpRequestBuilder::Verdict::kTaken) return;
  reading_->verdict = reading_->builder.AddField(name, value);
}

void HttpServer::OnFieldsEnd(StreamId /*id*/) { reading_->fields_end = true; }

void HttpServer::OnTrailer(StreamId /*id*/, absl::string_view name, absl::string_view value) {
  if (reading_->verdict != HttpRequestBuilder::Verdict::kTaken) return;
  reading_->verdict = reading_->builder.AddTrailer(name, value);
}

void HttpServer::OnBody(StreamId /*id*/, absl::Span<const uint8_t> bytes) {
  if (reading_->verdict != HttpRequestBuilder::Verdict::kTaken) return;
  reading_->verdict = reading_->builder.AddBody(bytes);
}

void HttpServer::Refuse(Timestamp now, Slot& slot, int status, bool fin) {
  const StreamId id = slot.id;
  slot.builder.Clear();
  if (!SendFields(now, slot, {.status = status, .content_length = 0})) return;
  SendEnd(now, slot);
  // RFC 9114 section 4.1: the answer is complete, and the rest of the request would be for nothing.
  if (!fin) streams_.StopSending(id, HttpErrorCode::kNone);
}

void HttpServer::Serve(Timestamp now, Slot& slot) {
  if (slot.builder.Complete() != HttpRequestBuilder::Verdict::kTaken) {
    ++counters_.malformed;
    return AbandonFaulty(slot, HttpErrorCode::kMessageError);
  }
  ++counters_.requests;
  client_streams_.OnRequest();
  slot.state = State::kServing;
  slot.due = Timestamp::PlusInfinity();
  slot.without_body = slot.builder.is_head();
  // The service may end the request while it still looks at it.
  HttpRequestBuilder builder = std::move(slot.builder);
  slot.builder.Clear();
  HttpRequest request = builder.request();
  request.early = slot.early;
  service_.OnRequest(now, HttpCall(*this, slot.id), request);
}

// ---- Answers. ----

bool HttpServer::SendFields(Timestamp now, Slot& slot, const HttpAnswer& answer) {
  const HttpAnswerFields fields(answer);
  HttpOutflow::Verdict sent = HttpOutflow::Verdict::kRefused;
  const HttpSession::Verdict encoded =
      session_->EncodeFields(slot.id, fields.fields(), [&](absl::Span<const uint8_t> frame) {
        sent = slot.outflow.SendFrame(slot.id, frame, streams_, share_);
      });
  if (encoded == HttpSession::Verdict::kFailed) {
    Fail(session_->failure());
    return false;
  }
  if (sent != HttpOutflow::Verdict::kTaken) {
    ++counters_.answers_broken;
    Abandon(slot, HttpErrorCode::kInternalError);
    return false;
  }
  slot.begun = true;
  NoteWaiting(now, slot);
  return true;
}

void HttpServer::NoteWaiting(Timestamp now, Slot& slot) {
  if (slot.outflow.waiting() > 0 && !slot.drained.IsFinite()) {
    slot.drained = now + limits_.drain_timeout;
  }
}

void HttpServer::SendEnd(Timestamp now, Slot& slot) {
  if (slot.outflow.Finish(slot.id, streams_)) return Free(slot);
  slot.state = State::kDraining;
  slot.due = now + limits_.drain_timeout;
  slot.drained = Timestamp::PlusInfinity();
}

HttpSendVerdict HttpServer::Begin(Timestamp now, StreamId id, const HttpAnswer& answer) {
  Slot* const slot = Find(id);
  if (failure_.has_value() || slot == nullptr || slot->state != State::kServing) {
    ++counters_.stale;
    return HttpSendVerdict::kGone;
  }
  SLUICE_DCHECK(!slot->begun);
  slot->without_body |= !HasBody(answer.status);
  return SendFields(now, *slot, answer) ? HttpSendVerdict::kSent : HttpSendVerdict::kGone;
}

HttpSendVerdict HttpServer::Send(Timestamp now, StreamId id, absl::Span<const uint8_t> piece) {
  Slot* const slot = Find(id);
  if (failure_.has_value() || slot == nullptr || slot->state != State::kServing) {
    ++counters_.stale;
    return HttpSendVerdict::kGone;
  }
  SLUICE_DCHECK(slot->begun);
  if (piece.size() > kMaxHttpPiece) {
    ++counters_.pieces_too_long;
    return HttpSendVerdict::kTooLong;
  }
  if (piece.empty() || slot->without_body) return HttpSendVerdict::kSent;
  switch (slot->outflow.SendData(id, piece, streams_, share_)) {
    case HttpOutflow::Verdict::kTaken:
      break;
    case HttpOutflow::Verdict::kRefused:
      ++counters_.pieces_blocked;
      slot->wants_room = true;
      // Also when nothing could wait: the client has as much time as if something did.
      if (!slot->drained.IsFinite()) slot->drained = now + limits_.drain_timeout;
      return HttpSendVerdict::kBlocked;
    case HttpOutflow::Verdict::kBroken:
      ++counters_.answers_broken;
      Abandon(*slot, HttpErrorCode::kInternalError);
      return HttpSendVerdict::kGone;
  }
  ++counters_.pieces;
  NoteWaiting(now, *slot);
  return HttpSendVerdict::kSent;
}

bool HttpServer::Finish(Timestamp now, StreamId id) {
  Slot* const slot = Find(id);
  if (failure_.has_value() || slot == nullptr || slot->state != State::kServing) {
    ++counters_.stale;
    return false;
  }
  ++counters_.finished;
  // Nobody said what it is: that is our fault.
  if (!slot->begun && !SendFields(now, *slot, {.status = kInternalServerError})) return true;
  SendEnd(now, *slot);
  return true;
}

// ---- Time. ----

void HttpServer::HandleTimeout(Timestamp now) {
  if (failure_.has_value()) return;
  if (goaway_due_ <= now) SendGoaway();
  for (Slot& slot : slots_) {
    if (slot.state != State::kFree && std::min(slot.due, slot.drained) <= now) Expire(slot);
  }
}

Timestamp HttpServer::NextTimeout() const {
  if (failure_.has_value()) return Timestamp::PlusInfinity();
  Timestamp next = goaway_due_;
  for (const Slot& slot : slots_) {
    if (slot.state != State::kFree) next = std::min({next, slot.due, slot.drained});
  }
  return next;
}

void HttpServer::Expire(Slot& slot) {
  const StreamId id = slot.id;
  switch (slot.state) {
    case State::kFree:
      break;
    case State::kReading:
      ++counters_.requests_too_slow;
      Abandon(slot, HttpErrorCode::kRequestRejected);
      break;
    case State::kServing:
      ++counters_.answers_too_slow;
      Abandon(slot, HttpErrorCode::kRequestCancelled);
      service_.OnCancelled(HttpCall(*this, id), HttpCancelCause::kTooSlow);
      break;
    case State::kDraining:
      ++counters_.answers_too_slow;
      Abandon(slot, HttpErrorCode::kRequestCancelled);
      break;
  }
}

}  // namespace sluice
