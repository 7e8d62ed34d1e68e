#ifndef QUIC_CALLS_RPC_CONNECTION_END_H_
#define QUIC_CALLS_RPC_CONNECTION_END_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "quic/connection/close_reason.h"
#include "quic/rpc/rpc_error_code.h"

namespace sluice {

// What the end of a connection means to who makes or answers calls on it. One for each, for one
// counter each.
enum class RpcConnectionEnd : uint8_t {
  // We wanted it.
  kByUs,
  // The peer is done and nothing is wrong: a client goes, a server is about to stop.
  kDrained,
  // The peer said so with any other code of `sluice/1`.
  kByPeer,
  // The server takes no more connections, now or at all; it has done nothing.
  kRefused,
  // TLS failed on either side: a certificate, a protocol that is not spoken.
  kUntrusted,
  // Either side broke the rules of QUIC, or something failed inside of it.
  kBroken,
  // The peer fell silent, or has forgotten the connection. Nobody knows what became of calls.
  kLost,
  // There never was a connection.
  kUnreachable,
};
inline constexpr size_t kRpcConnectionEndCount = 8;

// For counters: "unreachable". Static.
constexpr absl::string_view RpcConnectionEndName(RpcConnectionEnd end) {
  constexpr absl::string_view kNames[kRpcConnectionEndCount] = {
      "by_us", "drained", "by_peer", "refused", "untrusted", "broken", "lost", "unreachable"};
  return kNames[static_cast<size_t>(end)];
}

// RFC 9000 section 20.1: codes of the transport; those of TLS alerts are 0x100 to 0x1ff.
constexpr RpcConnectionEnd RpcConnectionEndOfTransport(uint64_t code) {
  constexpr uint64_t kConnectionRefused = 0x02;
  constexpr uint64_t kAlerts = 0x0100;
  if (code == kConnectionRefused) return RpcConnectionEnd::kRefused;
  return (code & ~uint64_t{0xff}) == kAlerts ? RpcConnectionEnd::kUntrusted
                                             : RpcConnectionEnd::kBroken;
}

constexpr RpcConnectionEnd RpcConnectionEndOf(const CloseReason& reason) {
  switch (reason.cause) {
    case CloseCause::kLocalApplication:
      return RpcConnectionEnd::kByUs;
    case CloseCause::kRemoteApplication:
      return reason.code == static_cast<uint64_t>(RpcErrorCode::kNone) ? RpcConnectionEnd::kDrained
                                                                       : RpcConnectionEnd::kByPeer;
    case CloseCause::kLocalTransport:
    case CloseCause::kRemoteTransport:
      return RpcConnectionEndOfTransport(reason.code);
    case CloseCause::kIdleTimeout:
    case CloseCause::kStatelessReset:
      return RpcConnectionEnd::kLost;
    case CloseCause::kHandshakeTimeout:
    case CloseCause::kDropped:
      break;
  }
  return RpcConnectionEnd::kUnreachable;
}

}  // namespace sluice

#endif  // QUIC_CALLS_RPC_CONNECTION_END_H_
