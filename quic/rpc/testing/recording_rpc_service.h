#ifndef QUIC_RPC_TESTING_RECORDING_RPC_SERVICE_H_
#define QUIC_RPC_TESTING_RECORDING_RPC_SERVICE_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/timestamp.h"
#include "quic/rpc/rpc_service.h"

namespace sluice {

// Writes down what it is asked, one line per event: "call 0 Join token hello", "cancelled 0
// deadline", "writable 0". Answers only if the test gives it something to answer with.
class RecordingRpcService : public RpcService {
 public:
  void OnCall(Timestamp now, const RpcCall& call, const RpcRequest& request) override {
    lines.push_back(absl::StrCat("call ", call.id(), " ", request.method, " ", request.token, " ",
                                 std::string(request.message.begin(), request.message.end())));
    deadline = request.deadline;
    early = request.early;
    last = call;
    if (answer) answer(now, call, request);
  }
  void OnCancelled(const RpcCall& call, RpcCancelCause cause) override {
    constexpr const char* kCauses[kRpcCancelCauseCount] = {"by_client", "deadline", "too_slow",
                                                           "lost"};
    lines.push_back(
        absl::StrCat("cancelled ", call.id(), " ", kCauses[static_cast<size_t>(cause)]));
    if (cancelled) cancelled(call);
  }
  void OnWritable(Timestamp now, const RpcCall& call) override {
    lines.push_back(absl::StrCat("writable ", call.id()));
    if (writable) writable(now, call);
  }

  std::vector<std::string> lines;
  // Of the last call.
  Timestamp deadline = Timestamp::MinusInfinity();
  bool early = false;
  std::optional<RpcCall> last;

  std::function<void(Timestamp, const RpcCall&, const RpcRequest&)> answer;
  std::function<void(const RpcCall&)> cancelled;
  std::function<void(Timestamp, const RpcCall&)> writable;
};

}  // namespace sluice

#endif  // QUIC_RPC_TESTING_RECORDING_RPC_SERVICE_H_
