#include "quic/rpc/rpc_server.h"

#include <algorithm>

#include "base/check.h"
#include "quic/rpc/rpc_frame.h"
#include "quic/rpc/rpc_status.h"

namespace sluice {

RpcServer::RpcServer(const RpcLimits& limits, RpcStreams& streams, RpcService& service,
                     RpcBufferPool& pool, RpcServerCounters& counters, BufferSource source)
    : limits_(limits),
      streams_(streams),
      service_(service),
      share_(pool, limits.buffers, source),
      slots_(limits.calls),
      counters_(counters) {}

RpcServer::Slot* RpcServer::Find(RpcStreamId id) {
  for (Slot& slot : slots_) {
    if (slot.state != State::kFree && slot.id == id) return &slot;
  }
  return nullptr;
}

void RpcServer::Free(Slot& slot) {
  slot = Slot();
  --open_calls_;
}

void RpcServer::Abandon(Slot& slot, RpcErrorCode code) {
  const RpcStreamId id = slot.id;
  Free(slot);
  streams_.Shutdown(id, code);
}

void RpcServer::OnStreamOpened(Timestamp now, RpcStreamId id) {
  if (!IsRpcStream(id)) {
    ++counters_.streams_unexpected;
    streams_.StopSending(id, RpcErrorCode::kStreamUnexpected);
    return;
  }
  if (draining_) {
    ++counters_.refused_while_draining;
    streams_.Shutdown(id, RpcErrorCode::kRefused);
    return;
  }
  const auto slot = std::find_if(slots_.begin(), slots_.end(),
                                 [](const Slot& s) { return s.state == State::kFree; });
  if (slot == slots_.end()) {
    ++counters_.too_many_calls;
    streams_.Shutdown(id, RpcErrorCode::kRefused);
    return;
  }
  slot->state = State::kReading;
  slot->id = id;
  slot->opened = now;
  slot->due = now + limits_.request_timeout;
  ++open_calls_;
}

void RpcServer::OnStreamData(Timestamp now, RpcStreamId id, absl::Span<const uint8_t> data,
                             bool fin, bool early) {
  Slot* const slot = Find(id);
  // After the end nothing comes; a stream that was given up may still have something under way.
  if (slot == nullptr || slot->state != State::kReading) return;
  slot->early |= early;
  const RpcRequestReader::Verdict verdict = slot->reader.Read(data, fin, share_);
  if (verdict == RpcRequestReader::Verdict::kIncomplete) return;
  if (verdict == RpcRequestReader::Verdict::kComplete) {
    Serve(now, *slot);
  } else {
    Refuse(*slot, verdict);
  }
}

void RpcServer::Serve(Timestamp now, Slot& slot) {
  slot.state = State::kServing;
  ++counters_.calls;
  const RpcRequestHeader header = slot.reader.header();
  slot.due = slot.opened + header.timeout;
  const RpcRequest request = {.method = header.method,
                              .token = header.token,
                              .message = slot.reader.message(),
                              .deadline = slot.due,
                              .early = slot.early};
  // The request lasts as long as the service is asked, even if that finishes the call at once.
  const RpcBuffer memory = slot.reader.TakeBuffer();
  service_.OnCall(now, RpcCall(*this, slot.id), request);
}

void RpcServer::Refuse(Slot& slot, RpcRequestReader::Verdict fault) {
  using Verdict = RpcRequestReader::Verdict;
  if (fault != Verdict::kNoBuffer) ++fruitless_streams_;
  switch (fault) {
    case Verdict::kIncomplete:
    case Verdict::kComplete:
      SLUICE_DCHECK(false);
      return;
    case Verdict::kFrameUnexpected:
      ++counters_.frames_unexpected;
      return Abandon(slot, RpcErrorCode::kFrameUnexpected);
    case Verdict::kFrameTooLong:
      ++counters_.frames_too_long;
      return Abandon(slot, RpcErrorCode::kFrameTooLong);
    case Verdict::kFrameMalformed:
      ++counters_.frames_malformed;
      return Abandon(slot, RpcErrorCode::kFrameMalformed);
    case Verdict::kTooMuchUnknown:
      ++counters_.too_much_unknown;
      return Abandon(slot, RpcErrorCode::kTooMuchUnknown);
    case Verdict::kTruncated:
      ++counters_.requests_truncated;
      return Abandon(slot, RpcErrorCode::kIncomplete);
    case Verdict::kNoBuffer:
      ++counters_.requests_without_buffer;
      return Abandon(slot, RpcErrorCode::kOverloaded);
  }
}

RpcSendVerdict RpcServer::Send(Timestamp now, RpcStreamId id, absl::Span<const uint8_t> message) {
  Slot* const slot = Find(id);
  if (slot == nullptr || slot->state != State::kServing) {
    ++counters_.stale;
    return RpcSendVerdict::kGone;
  }
  if (message.size() > kMaxRpcMessage) {
    ++counters_.messages_too_long;
    return RpcSendVerdict::kTooLong;
  }
  const bool waited = slot->outflow.waiting() > 0;
  switch (slot->outflow.Send(id, RpcFrameType::kMessage, message, /*fin=*/false,
                             RpcOutflow::kMaxWaiting, streams_, share_)) {
    case RpcOutflow::Verdict::kTaken:
      break;
    case RpcOutflow::Verdict::kRefused:
      ++counters_.messages_blocked;
      slot->wants_room = true;
      return RpcSendVerdict::kBlocked;
    case RpcOutflow::Verdict::kBroken:
      ++counters_.answers_broken;
      Abandon(*slot, RpcErrorCode::kOverloaded);
      return RpcSendVerdict::kBroken;
  }
  ++counters_.messages;
  if (!waited && slot->outflow.waiting() > 0) slot->drained = now + limits_.drain_timeout;
  return RpcSendVerdict::kSent;
}

bool RpcServer::Finish(Timestamp now, RpcStreamId id, absl::Span<const uint8_t> status) {
  Slot* const slot = Find(id);
  if (slot == nullptr || slot->state != State::kServing) {
    ++counters_.stale;
    return false;
  }
  ++counters_.finished;
  if (status.size() <= kMaxRpcStatus) {
    SendStatus(now, *slot, status);
  } else {
    ++counters_.statuses_too_long;
    RpcStatusBuffer buffer;
    SendStatus(now, *slot,
               EncodeRpcStatus(RpcCode::kInternal, "the status of this call is too long", buffer));
  }
  return true;
}

void RpcServer::SendStatus(Timestamp now, Slot& slot, absl::Span<const uint8_t> status) {
  const RpcOutflow::Verdict verdict =
      slot.outflow.Send(slot.id, RpcFrameType::kStatus, status, /*fin=*/true,
                        RpcBufferPool::kBufferSize, streams_, share_);
  if (verdict != RpcOutflow::Verdict::kTaken) {
    ++counters_.answers_broken;
    return Abandon(slot, RpcErrorCode::kOverloaded);
  }
  if (slot.outflow.waiting() == 0) return Free(slot);
  slot.state = State::kDraining;
  slot.due = now + limits_.drain_timeout;
  slot.drained = Timestamp::PlusInfinity();
}

void RpcServer::Cancel(RpcStreamId id) {
  Slot* const slot = Find(id);
  if (slot == nullptr) return;
  const State state = slot->state;
  ++fruitless_streams_;
  Abandon(*slot, RpcErrorCode::kCancelled);
  if (state == State::kReading) {
    ++counters_.requests_abandoned;
  } else if (state == State::kDraining) {
    ++counters_.answers_abandoned;
  } else {
    ++counters_.cancelled_by_client;
    service_.OnCancelled(RpcCall(*this, id), RpcCancelCause::kByClient);
  }
}

void RpcServer::OnStreamReset(RpcStreamId id) { Cancel(id); }
void RpcServer::OnStopSending(RpcStreamId id) { Cancel(id); }
void RpcServer::OnStreamClosed(RpcStreamId id) { Cancel(id); }

void RpcServer::OnWritable(Timestamp now, RpcStreamId id) {
  Slot* const slot = Find(id);
  if (slot == nullptr || !slot->outflow.Flush(id, streams_)) return;
  if (slot->state == State::kDraining) return Free(*slot);
  slot->drained = Timestamp::PlusInfinity();
  if (!slot->wants_room) return;
  slot->wants_room = false;
  service_.OnWritable(now, RpcCall(*this, id));
}

void RpcServer::OnConnectionClosed() {
  draining_ = true;
  for (Slot& slot : slots_) {
    if (slot.state == State::kFree) continue;
    const RpcStreamId id = slot.id;
    const bool serving = slot.state == State::kServing;
    Free(slot);
    if (!serving) continue;
    ++counters_.connections_lost;
    service_.OnCancelled(RpcCall(*this, id), RpcCancelCause::kConnectionLost);
  }
}

void RpcServer::HandleTimeout(Timestamp now) {
  for (Slot& slot : slots_) {
    if (slot.state != State::kFree && std::min(slot.due, slot.drained) <= now) Expire(now, slot);
  }
}

void RpcServer::Expire(Timestamp now, Slot& slot) {
  const RpcStreamId id = slot.id;
  switch (slot.state) {
    case State::kFree:
      return;
    case State::kReading:
      ++counters_.requests_too_slow;
      return Abandon(slot, RpcErrorCode::kTooSlow);
    case State::kDraining:
      ++counters_.answers_too_slow;
      return Abandon(slot, RpcErrorCode::kTooSlow);
    case State::kServing:
      break;
  }
  if (slot.due > now) {
    ++counters_.answers_too_slow;
    Abandon(slot, RpcErrorCode::kTooSlow);
    return service_.OnCancelled(RpcCall(*this, id), RpcCancelCause::kTooSlow);
  }
  ++counters_.deadlines_exceeded;
  RpcStatusBuffer buffer;
  SendStatus(
      now, slot,
      EncodeRpcStatus(RpcCode::kDeadlineExceeded, "the call took longer than its timeout", buffer));
  service_.OnCancelled(RpcCall(*this, id), RpcCancelCause::kDeadline);
}

Timestamp RpcServer::NextTimeout() const {
  Timestamp next = Timestamp::PlusInfinity();
  for (const Slot& slot : slots_) {
    if (slot.state != State::kFree) next = std::min({next, slot.due, slot.drained});
  }
  return next;
}

}  // namespace sluice
