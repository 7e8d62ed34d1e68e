#ifndef GATEWAY_SIGNALLING_CALL_COUNTERS_H_
#define GATEWAY_SIGNALLING_CALL_COUNTERS_H_

#include <grpcpp/support/status.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "gateway/signalling/signalling_methods.h"

namespace sluice {

// What brought a call.
enum class CallTransportKind : uint8_t { kRpc, kHttp };
inline constexpr size_t kCallTransportKinds = 2;

// How a call ended.
enum class CallOutcome : uint8_t {
  kOk,
  // The client's to change: request, token, right, method, or the state of its leg.
  kRefused,
  // A limit was reached, or the gateway is stopping: the same call may succeed later.
  kBusy,
  // Ours.
  kFailed,
  // The client, its connection or its deadline was first.
  kCancelled,
};
inline constexpr size_t kCallOutcomes = 5;

// "rpc", "http"; "ok", "refused", ...
absl::string_view CallTransportName(CallTransportKind transport);
absl::string_view CallOutcomeName(CallOutcome outcome);
CallOutcome ToOutcome(grpc::StatusCode code);

// How many calls ended how. Any thread.
class CallCounters {
 public:
  // `method` is null for calls of what there is not, and of what is not a participant's.
  void Count(CallTransportKind transport, const SignallingMethodRow* method, CallOutcome outcome);
  uint64_t count(CallTransportKind transport, const SignallingMethodRow* method,
                 CallOutcome outcome) const;
  // Of all methods, unknown ones too.
  uint64_t total(CallTransportKind transport, CallOutcome outcome) const;

 private:
  // The last method is what there is not.
  using Row = std::array<std::atomic<uint64_t>, kCallOutcomes>;
  std::array<std::array<Row, kSignallingMethods + 1>, kCallTransportKinds> counts_ = {};
};

}  // namespace sluice

#endif  // GATEWAY_SIGNALLING_CALL_COUNTERS_H_
