#include "quic/calls/rpc_protocol_server.h"

#include <memory>

#include "quic/calls/rpc_server_connection.h"

namespace sluice {

RpcProtocolServer::RpcProtocolServer(const Timestamp& now, RpcService& service,
                                     RpcBufferPool& buffers, const RpcLimits& limits)
    : buffers_(buffers), resources_{now, service, buffers, counters_.calls, limits} {}

std::unique_ptr<ServedConnection> RpcProtocolServer::Serve(QuicConnection& connection) {
  return std::make_unique<RpcServerConnection>(resources_, connection);
}

void RpcProtocolServer::OnTurnEnd() {
  counters_.buffers_exhausted = buffers_.exhausted();
  counters_.source_exhausted = buffers_.source_exhausted();
  published_.Publish(counters_);
}

}  // namespace sluice
