#include "gateway/signalling/signalling_rpc_service.h"

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gateway/signalling/protobuf_codec.h"
#include "gateway/signalling/signalling_methods.h"
#include "gateway/signalling/status_message.h"
#include "quic/rpc/rpc_frame.h"

namespace sluice {
namespace {

static_assert(kMaxAnswerBytes <= kMaxRpcMessage);

absl::Span<const uint8_t> Bytes(const std::string& text) {
  return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

}  // namespace

const CallCodec& SignallingRpcService::codec() const { return ProtobufCodec(); }

void SignallingRpcService::OnCall(Timestamp now, const RpcCall& call, const RpcRequest& request) {
  const CallId id = pending_.NewId();
  calls_.Add(id, call, None{});
  const SignallingMethodRow* method = FindMethodByName(request.method);
  if (method == nullptr) {
    pending_.Refuse(now, *this, id, nullptr,
                    grpc::Status(grpc::StatusCode::UNIMPLEMENTED, "there is no such method"));
    return;
  }
  CallRequest submitted{method, std::nullopt, request.message, request.early};
  if (!request.token.empty()) {
    submitted.token = request.token;
  }
  pending_.Submit(now, *this, id, submitted);
}

void SignallingRpcService::OnCancelled(const RpcCall& call, RpcCancelCause) {
  const std::optional<CallId> id = calls_.IdOf(call);
  if (id.has_value()) {
    calls_.Remove(*id);
    pending_.Cancel(*id);
  }
}

void SignallingRpcService::OnWritable(Timestamp now, const RpcCall& call) {
  const std::optional<CallId> id = calls_.IdOf(call);
  if (id.has_value()) {
    pending_.OnWritable(now, *id);
  }
}

CallSend SignallingRpcService::Send(Timestamp now, CallId id, const std::string& message) {
  const auto* entry = calls_.Find(id);
  if (entry == nullptr) {
    return CallSend::kGone;
  }
  // A copy: what is sent may end the call.
  const RpcCall call = entry->call;
  switch (call.Send(now, Bytes(message))) {
    case RpcSendVerdict::kSent:
      return CallSend::kSent;
    case RpcSendVerdict::kBlocked:
      return CallSend::kBlocked;
    case RpcSendVerdict::kTooLong:
      // Longer than kMaxAnswerBytes is nothing that comes here.
    case RpcSendVerdict::kGone:
    case RpcSendVerdict::kBroken:
      break;
  }
  calls_.Remove(id);
  return CallSend::kGone;
}

CallSend SignallingRpcService::Finish(Timestamp now, CallId id, const grpc::Status& status) {
  const auto* entry = calls_.Find(id);
  if (entry == nullptr) {
    return CallSend::kGone;
  }
  const RpcCall call = entry->call;
  calls_.Remove(id);
  const std::string encoded = ToStatusMessage(status, kMaxRpcStatus).SerializeAsString();
  return call.Finish(now, Bytes(encoded)) ? CallSend::kSent : CallSend::kGone;
}

}  // namespace sluice
