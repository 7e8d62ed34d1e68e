#ifndef QUIC_RPC_RPC_CLIENT_EVENTS_H_
#define QUIC_RPC_RPC_CLIENT_EVENTS_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "quic/rpc/rpc_status.h"
#include "quic/rpc/rpc_streams.h"

namespace sluice {

// Why a call ended without a status.
enum class RpcFailureCause : uint8_t {
  // Its timeout passed.
  kDeadline,
  // The server gave it up and said RpcFailure::code. After RpcErrorCode::kRefused it has done
  // nothing of the call.
  kByServer,
  // The answer broke the rules or there was no memory for it; the server was told the code.
  kByClient,
  kConnectionLost,
};
inline constexpr size_t kRpcFailureCauseCount = 4;

struct RpcFailure {
  friend bool operator==(const RpcFailure& a, const RpcFailure& b) = default;

  RpcFailureCause cause = RpcFailureCause::kConnectionLost;
  // A RpcErrorCode, or any number that a server cares to send.
  uint64_t code = 0;
};

// Gets the answers of one connection's calls. Called while a client handles an event; may start and
// cancel calls right then. After OnStatus and OnFailure a call is over. The client's thread.
class RpcClientEvents {
 public:
  virtual ~RpcClientEvents() = default;

  // The span is gone after the call, or when the call is cancelled.
  virtual void OnMessage(RpcStreamId id, absl::Span<const uint8_t> message) = 0;
  // Likewise what `status` has views of.
  virtual void OnStatus(RpcStreamId id, const RpcStatus& status) = 0;
  virtual void OnFailure(RpcStreamId id, const RpcFailure& failure) = 0;
};

}  // namespace sluice

#endif  // QUIC_RPC_RPC_CLIENT_EVENTS_H_
