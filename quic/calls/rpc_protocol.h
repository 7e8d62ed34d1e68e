#ifndef QUIC_CALLS_RPC_PROTOCOL_H_
#define QUIC_CALLS_RPC_PROTOCOL_H_

#include "absl/strings/string_view.h"
#include "quic/rpc/rpc_limits.h"
#include "quic/tls/application_protocols.h"

namespace sluice {

// As in ALPN.
inline constexpr absl::string_view kRpcProtocolName = "sluice/1";

// What connections of calls may use, for the TLS context of a server: as many streams as `limits`
// have calls, so that a client which keeps to them is never refused one. Without 0-RTT; who answers
// calls decides whether to set `early_data`.
ApplicationProtocol RpcServerProtocol(const RpcLimits& limits);
// ... and of a client, who lets nobody call it. With 0-RTT, where a server takes it.
ApplicationProtocol RpcClientProtocol();

}  // namespace sluice

#endif  // QUIC_CALLS_RPC_PROTOCOL_H_
