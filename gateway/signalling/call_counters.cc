#include "gateway/signalling/call_counters.h"

namespace sluice {
namespace {

size_t IndexOf(const SignallingMethodRow* method) {
  return method == nullptr ? kSignallingMethods : static_cast<size_t>(method->method);
}

}  // namespace

absl::string_view CallTransportName(CallTransportKind transport) {
  switch (transport) {
    case CallTransportKind::kRpc:
      return "rpc";
    case CallTransportKind::kHttp:
      return "http";
  }
  return "unknown";
}

absl::string_view CallOutcomeName(CallOutcome outcome) {
  switch (outcome) {
    case CallOutcome::kOk:
      return "ok";
    case CallOutcome::kRefused:
      return "refused";
    case CallOutcome::kBusy:
      return "busy";
    case CallOutcome::kFailed:
      return "failed";
    case CallOutcome::kCancelled:
      return "cancelled";
  }
  return "unknown";
}

CallOutcome ToOutcome(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::OK:
      return CallOutcome::kOk;
    case grpc::StatusCode::CANCELLED:
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return CallOutcome::kCancelled;
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::ABORTED:
      return CallOutcome::kBusy;
    case grpc::StatusCode::UNKNOWN:
    case grpc::StatusCode::INTERNAL:
    case grpc::StatusCode::DATA_LOSS:
      return CallOutcome::kFailed;
    default:
      return CallOutcome::kRefused;
  }
}

void CallCounters::Count(CallTransportKind transport, const SignallingMethodRow* method,
                         CallOutcome outcome) {
  counts_[static_cast<size_t>(transport)][IndexOf(method)][static_cast<size_t>(outcome)].fetch_add(
      1, std::memory_order_relaxed);
}

uint64_t CallCounters::count(CallTransportKind transport, const SignallingMethodRow* method,
                             CallOutcome outcome) const {
  return counts_[static_cast<size_t>(transport)][IndexOf(method)][static_cast<size_t>(outcome)]
      .load(std::memory_order_relaxed);
}

uint64_t CallCounters::total(CallTransportKind transport, CallOutcome outcome) const {
  uint64_t sum = 0;
  for (const Row& row : counts_[static_cast<size_t>(transport)]) {
    sum += row[static_cast<size_t>(outcome)].load(std::memory_order_relaxed);
  }
  return sum;
}

}  // namespace sluice
