#include "gateway/signalling/pending_calls.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gateway/control/status_convert.h"
#include "gateway/errors/error_detail.h"

namespace sluice {
namespace {

using ::google::protobuf::Message;

// The message as the transport sends it, or why there is none.
grpc::Status Encode(const CallCodec& codec, const SignallingMethodRow& method,
                    const Message& message, std::string& out) {
  absl::StatusOr<std::string> encoded = codec.Encode(method, message);
  if (!encoded.ok()) {
    return ToGrpcStatus(encoded.status());
  }
  if (encoded->size() > kMaxAnswerBytes) {
    return grpc::Status(grpc::StatusCode::INTERNAL, "the answer is too long to be told");
  }
  out = *std::move(encoded);
  return grpc::Status::OK;
}

// Calls, then encodes the answer.
grpc::Status CallAndEncode(ParticipantCalls& calls, const CallCodec& codec,
                           const SignallingMethodRow& method, const ParticipantClaims& claims,
                           const Message& request, std::optional<std::string>& out) {
  std::unique_ptr<Message> response;
  grpc::Status status = method.call(calls, claims, request, response);
  if (status.ok()) {
    status = Encode(codec, method, *response, out.emplace());
  }
  if (!status.ok()) {
    out.reset();
  }
  return status;
}

}  // namespace

class PendingCalls::InFlight {
 public:
  explicit InFlight(PendingCalls& calls) : calls_(&calls) {
    const absl::MutexLock lock(&calls_->mutex_);
    ++calls_->in_flight_;
  }
  InFlight(InFlight&& other) noexcept : calls_(std::exchange(other.calls_, nullptr)) {}
  InFlight& operator=(InFlight&&) = delete;
  ~InFlight() {
    if (calls_ != nullptr) {
      const absl::MutexLock lock(&calls_->mutex_);
      --calls_->in_flight_;
    }
  }

  PendingCalls& calls() const { return *calls_; }

 private:
  PendingCalls* calls_;
};

PendingCalls::PendingCalls(ParticipantCalls& calls, const EventLog& log, CallThreads& threads,
                           const PendingCallLimits& limits, std::function<void()> wake)
    : calls_(calls),
      threads_(threads),
      limits_(limits),
      wake_(std::move(wake)),
      watches_(calls, log, *this),
      bell_(log, [this] {
        // Without streams there is nobody to tell.
        if (watches_.open() > 0) {
          SetReady();
        }
      }) {}

PendingCalls::~PendingCalls() {
  const absl::MutexLock lock(&mutex_);
  // Those that no thread has begun are not made any more.
  awaited_.clear();
  const auto none = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return in_flight_ == 0; };
  mutex_.Await(absl::Condition(&none));
}

void PendingCalls::SetReady() {
  if (!ready_.exchange(true, std::memory_order_acq_rel)) {
    wake_();
  }
}

PendingCalls::Call* PendingCalls::Find(CallId id) {
  const auto found = pending_.find(id);
  return found == pending_.end() ? nullptr : &found->second;
}

void PendingCalls::Forget(CallId id) {
  const auto found = pending_.find(id);
  if (found == pending_.end()) {
    return;
  }
  const bool counted = found->second.place != nullptr;
  pending_.erase(found);
  // Nothing for what is no stream.
  watches_.Close(id);
  if (counted) {
    unary_.fetch_sub(1, std::memory_order_relaxed);
    const absl::MutexLock lock(&mutex_);
    awaited_.erase(id);
  }
}

void PendingCalls::Flush(Timestamp now, CallId id) {
  Call* call = Find(id);
  CallTransport& transport = *call->transport;
  if (call->message.has_value()) {
    // Taken out: the transport may say that the call is cancelled.
    const std::string message = *std::exchange(call->message, std::nullopt);
    const CallSend sent = transport.Send(now, id, message);
    call = Find(id);
    if (call == nullptr) {
      return;
    }
    if (sent == CallSend::kGone) {
      Forget(id);
      return;
    }
    if (sent == CallSend::kBlocked) {
      call->message = message;
      return;
    }
  }
  if (call->status.has_value()) {
    const grpc::Status status = *call->status;
    if (transport.Finish(now, id, status) != CallSend::kBlocked) {
      Forget(id);
    }
  }
}

void PendingCalls::Finish(Timestamp now, CallId id, std::optional<std::string> message,
                          const grpc::Status& status) {
  Call& call = *Find(id);
  counters_.Count(call.transport->kind(), call.method, ToOutcome(status.error_code()));
  call.message = std::move(message);
  call.status = status;
  Flush(now, id);
}

void PendingCalls::Refuse(Timestamp now, CallTransport& transport, CallId id,
                          const SignallingMethodRow* method, const grpc::Status& status) {
  pending_.emplace(id, Call{&transport, method, nullptr, std::nullopt, std::nullopt});
  Finish(now, id, std::nullopt, status);
}

grpc::Status PendingCalls::Admit(const ParticipantClaims& claims, const SignallingMethodRow& method,
                                 SharedPlace& place) {
  if (method.kind == MethodKind::kStream) {
    if (watches_.open() >= limits_.streams) {
      streams_refused_.fetch_add(1, std::memory_order_relaxed);
      return ToGrpcStatus(
          LimitReached("event_streams", limits_.streams, "as many streams are open as may be"));
    }
    return grpc::Status::OK;
  }
  absl::StatusOr<TokenPlaces::Place> taken = calls_.BeginCall(claims);
  if (!taken.ok()) {
    return ToGrpcStatus(taken.status());
  }
  if (unary_.load(std::memory_order_relaxed) >= limits_.calls) {
    calls_refused_.fetch_add(1, std::memory_order_relaxed);
    return ToGrpcStatus(LimitReached("pending_calls", limits_.calls,
                                     "as many calls are not answered yet as may be"));
  }
  place = std::make_shared<const TokenPlaces::Place>(*std::move(taken));
  unary_.fetch_add(1, std::memory_order_relaxed);
  return grpc::Status::OK;
}

void PendingCalls::Submit(Timestamp now, CallTransport& transport, CallId id,
                          const CallRequest& request) {
  const SignallingMethodRow& method = *request.method;
  if (request.early && !method.early) {
    Refuse(now, transport, id, &method,
           grpc::Status(grpc::StatusCode::UNAVAILABLE,
                        "came before the handshake was done, so that anybody may have sent it "
                        "again: call once more now"));
    return;
  }
  // Before anything else of the request is looked at.
  const absl::StatusOr<ParticipantClaims> claims = calls_.Authenticate(request.token);
  if (!claims.ok()) {
    Refuse(now, transport, id, &method, ToGrpcStatus(claims.status()));
    return;
  }
  std::unique_ptr<Message> message = method.new_request();
  const grpc::Status decoded = transport.codec().Decode(request.body, *message);
  if (!decoded.ok()) {
    Refuse(now, transport, id, &method, decoded);
    return;
  }
  SharedPlace place;
  const grpc::Status admitted = Admit(*claims, method, place);
  if (!admitted.ok()) {
    Refuse(now, transport, id, &method, admitted);
    return;
  }
  pending_.emplace(id, Call{&transport, &method, std::move(place), std::nullopt, std::nullopt});
  Start(now, id, *claims, std::move(message));
}

void PendingCalls::Start(Timestamp now, CallId id, const ParticipantClaims& claims,
                         std::unique_ptr<Message> request) {
  const Call& call = *Find(id);
  switch (call.method->kind) {
    case MethodKind::kImmediate: {
      std::optional<std::string> answer;
      const grpc::Status status =
          CallAndEncode(calls_, call.transport->codec(), *call.method, claims, *request, answer);
      Finish(now, id, std::move(answer), status);
      return;
    }
    case MethodKind::kWaiting:
      HandOver(now, id, claims, std::move(request));
      return;
    case MethodKind::kStream: {
      const grpc::Status status = watches_.Open(
          now, id, claims, static_cast<const signalling::v1::WatchEventsRequest&>(*request));
      if (!status.ok()) {
        Finish(now, id, std::nullopt, status);
      }
      return;
    }
  }
}

void PendingCalls::HandOver(Timestamp now, CallId id, const ParticipantClaims& claims,
                            std::unique_ptr<Message> request) {
  const Call& call = *Find(id);
  {
    const absl::MutexLock lock(&mutex_);
    awaited_.insert(id);
  }
  const absl::Status submitted = threads_.Submit(
      [in_flight = InFlight(*this), id, method = call.method, codec = &call.transport->codec(),
       claims, request = std::move(request), place = call.place]() mutable {
        in_flight.calls().Make(id, *method, *codec, claims, *request, std::move(place));
      });
  if (!submitted.ok()) {
    Finish(now, id, std::nullopt, ToGrpcStatus(submitted));
  }
}

void PendingCalls::Make(CallId id, const SignallingMethodRow& method, const CallCodec& codec,
                        const ParticipantClaims& claims, const Message& request,
                        SharedPlace place) {
  {
    const absl::MutexLock lock(&mutex_);
    // Who does not wait for the answer would never learn the keys of the leg that it made.
    if (!awaited_.contains(id)) {
      ++not_begun_;
      return;
    }
  }
  Answer answer{id, std::nullopt, grpc::Status::OK};
  answer.status = CallAndEncode(calls_, codec, method, claims, request, answer.message);
  // The call's from here on: its client may call again when it has the answer.
  place.reset();
  {
    const absl::MutexLock lock(&mutex_);
    if (!awaited_.contains(id)) {
      ++answers_lost_;
      return;
    }
    answers_.push_back(std::move(answer));
  }
  SetReady();
}

void PendingCalls::Cancel(CallId id) {
  const Call* call = Find(id);
  if (call == nullptr) {
    return;
  }
  if (!call->status.has_value()) {
    counters_.Count(call->transport->kind(), call->method, CallOutcome::kCancelled);
  }
  Forget(id);
}

void PendingCalls::OnWritable(Timestamp now, CallId id) {
  if (Find(id) == nullptr) {
    return;
  }
  Flush(now, id);
  watches_.Resume(now, id);
}

bool PendingCalls::OnEvent(Timestamp now, CallId id,
                           const signalling::v1::WatchEventsResponse& message) {
  const Call& call = *Find(id);
  CallTransport& transport = *call.transport;
  std::string encoded;
  const grpc::Status status = Encode(transport.codec(), *call.method, message, encoded);
  if (!status.ok()) {
    watches_.Close(id);
    Finish(now, id, std::nullopt, status);
    return true;
  }
  const CallSend sent = transport.Send(now, id, encoded);
  if (sent == CallSend::kGone) {
    Cancel(id);
  }
  return sent != CallSend::kBlocked;
}

void PendingCalls::OnEnd(Timestamp now, CallId id, const grpc::Status& status) {
  Finish(now, id, std::nullopt, status);
}

void PendingCalls::OnTurn(Timestamp now) {
  if (!ready_.exchange(false, std::memory_order_acq_rel)) {
    return;
  }
  std::vector<Answer> answers;
  {
    const absl::MutexLock lock(&mutex_);
    answers.swap(answers_);
  }
  for (Answer& answer : answers) {
    if (Find(answer.id) == nullptr) {
      const absl::MutexLock lock(&mutex_);
      ++answers_lost_;
      continue;
    }
    Finish(now, answer.id, std::move(answer.message), answer.status);
  }
  if (watches_.OnTurn(now)) {
    SetReady();
  }
}

PendingCallUsage PendingCalls::usage() const {
  PendingCallUsage usage;
  usage.calls = unary_.load(std::memory_order_relaxed);
  usage.streams = watches_.open();
  usage.calls_refused = calls_refused_.load(std::memory_order_relaxed);
  usage.streams_refused = streams_refused_.load(std::memory_order_relaxed);
  const absl::MutexLock lock(&mutex_);
  usage.not_begun = not_begun_;
  usage.answers_lost = answers_lost_;
  return usage;
}

}  // namespace sluice
