#include "quic/rpc/rpc_client.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "quic/rpc/rpc_frame.h"

namespace sluice {
namespace {

// What the server is told about an answer that is none.
RpcErrorCode CodeOf(RpcResponseReader::Verdict fault) {
  using Verdict = RpcResponseReader::Verdict;
  switch (fault) {
    case Verdict::kFrameUnexpected:
      return RpcErrorCode::kFrameUnexpected;
    case Verdict::kFrameTooLong:
      return RpcErrorCode::kFrameTooLong;
    case Verdict::kFrameMalformed:
      return RpcErrorCode::kFrameMalformed;
    case Verdict::kTooMuchUnknown:
      return RpcErrorCode::kTooMuchUnknown;
    case Verdict::kTruncated:
      return RpcErrorCode::kIncomplete;
    case Verdict::kNoBuffer:
      return RpcErrorCode::kOverloaded;
    case Verdict::kNeedsMore:
    case Verdict::kMessage:
    case Verdict::kStatus:
      break;
  }
  SLUICE_DCHECK(false);
  return RpcErrorCode::kInternal;
}

}  // namespace

RpcClient::RpcClient(const RpcLimits& limits, RpcClientStreams& streams, RpcClientEvents& events,
                     RpcBufferPool& pool)
    : limits_(limits),
      streams_(streams),
      events_(events),
      share_(pool, limits.buffers),
      slots_(limits.calls) {}

RpcClient::Slot* RpcClient::Find(RpcStreamId id) {
  for (Slot& slot : slots_) {
    if (slot.in_use && slot.id == id) return &slot;
  }
  return nullptr;
}

void RpcClient::Free(Slot& slot) {
  slot = Slot();
  --open_calls_;
}

absl::StatusOr<RpcStreamId> RpcClient::Start(Timestamp now, const RpcRequestHeader& header,
                                             absl::Span<const uint8_t> message) {
  std::array<uint8_t, kMaxRpcHeader> buffer;
  const std::optional<absl::Span<const uint8_t>> encoded =
      EncodeRpcRequestHeader(header, absl::MakeSpan(buffer));
  if (!encoded.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a method is 1 to ", kMaxRpcMethod, " letters, digits, '.', '_' and '/', a token is ",
        "printable ASCII, and both together are at most ", kMaxRpcHeader, " bytes"));
  }
  if (message.size() > kMaxRpcMessage) {
    return absl::InvalidArgumentError(
        absl::StrCat("the message has ", message.size(), " bytes, may have ", kMaxRpcMessage));
  }
  const auto slot =
      std::find_if(slots_.begin(), slots_.end(), [](const Slot& s) { return !s.in_use; });
  if (slot == slots_.end()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("all ", limits_.calls, " calls of this connection are in use"));
  }
  const std::optional<RpcStreamId> id = streams_.Open();
  if (!id.has_value()) return absl::ResourceExhaustedError("the server allows no more streams");
  slot->in_use = true;
  slot->id = *id;
  slot->deadline = now + header.timeout;
  ++open_calls_;
  if (!SendRequest(*slot, *encoded, message)) {
    Free(*slot);
    streams_.Shutdown(*id, RpcErrorCode::kOverloaded);
    return absl::ResourceExhaustedError("no memory for requests that wait to be sent");
  }
  ++counters_.calls;
  return *id;
}

bool RpcClient::SendRequest(Slot& slot, absl::Span<const uint8_t> header,
                            absl::Span<const uint8_t> message) {
  const auto send = [&](RpcFrameType type, absl::Span<const uint8_t> payload, bool fin) {
    return slot.outflow.Send(slot.id, type, payload, fin, RpcBufferPool::kBufferSize, streams_,
                             share_) == RpcOutflow::Verdict::kTaken;
  };
  return send(RpcFrameType::kHeader, header, false) && send(RpcFrameType::kMessage, message, true);
}

bool RpcClient::Cancel(RpcStreamId id) {
  Slot* const slot = Find(id);
  if (slot == nullptr) return false;
  ++counters_.cancelled;
  Free(*slot);
  streams_.Shutdown(id, RpcErrorCode::kCancelled);
  return true;
}

void RpcClient::Fail(Slot& slot, RpcFailureCause cause, RpcErrorCode code) {
  streams_.Shutdown(slot.id, code);
  Lose(slot, {.cause = cause, .code = static_cast<uint64_t>(code)});
}

void RpcClient::Lose(Slot& slot, const RpcFailure& failure) {
  const RpcStreamId id = slot.id;
  ++counters_.failed;
  Free(slot);
  events_.OnFailure(id, failure);
}

void RpcClient::OnStreamData(RpcStreamId id, absl::Span<const uint8_t> data, bool fin) {
  while (true) {
    // Looked for each time: whoever gets a message may cancel the call.
    Slot* const slot = Find(id);
    if (slot == nullptr) return;
    const RpcResponseReader::Verdict verdict = slot->reader.Next(data, fin, share_);
    switch (verdict) {
      case RpcResponseReader::Verdict::kNeedsMore:
        return;
      case RpcResponseReader::Verdict::kMessage:
        ++counters_.messages;
        events_.OnMessage(id, slot->reader.message());
        continue;
      case RpcResponseReader::Verdict::kStatus:
        break;
      default:
        return Fail(*slot, RpcFailureCause::kByClient, CodeOf(verdict));
    }
    ++counters_.answered;
    // Keeps what the status has views of until it was told.
    const RpcResponseReader reader = std::move(slot->reader);
    const bool unsent = slot->outflow.waiting() > 0;
    Free(*slot);
    // Answered before all was asked: nobody needs the rest.
    if (unsent) streams_.Reset(id, RpcErrorCode::kNone);
    events_.OnStatus(id, reader.status());
    return;
  }
}

void RpcClient::OnStreamReset(RpcStreamId id, uint64_t code) {
  Slot* const slot = Find(id);
  if (slot == nullptr) return;
  // The other direction is of no use either.
  streams_.Reset(id, RpcErrorCode::kCancelled);
  Lose(*slot, {.cause = RpcFailureCause::kByServer, .code = code});
}

void RpcClient::OnStopSending(RpcStreamId id) {
  Slot* const slot = Find(id);
  if (slot != nullptr) slot->outflow.Clear();
}

void RpcClient::OnWritable(RpcStreamId id) {
  Slot* const slot = Find(id);
  if (slot != nullptr) slot->outflow.Flush(id, streams_);
}

void RpcClient::OnStreamClosed(RpcStreamId id) {
  Slot* const slot = Find(id);
  if (slot == nullptr) return;
  Lose(*slot, {.cause = RpcFailureCause::kByServer,
               .code = static_cast<uint64_t>(RpcErrorCode::kIncomplete)});
}

void RpcClient::OnConnectionClosed() {
  for (Slot& slot : slots_) {
    if (slot.in_use) Lose(slot, {.cause = RpcFailureCause::kConnectionLost, .code = 0});
  }
}

void RpcClient::HandleTimeout(Timestamp now) {
  for (Slot& slot : slots_) {
    if (slot.in_use && slot.deadline <= now) {
      Fail(slot, RpcFailureCause::kDeadline, RpcErrorCode::kCancelled);
    }
  }
}

Timestamp RpcClient::NextTimeout() const {
  Timestamp next = Timestamp::PlusInfinity();
  for (const Slot& slot : slots_) {
    if (slot.in_use) next = std::min(next, slot.deadline);
  }
  return next;
}

}  // namespace sluice
