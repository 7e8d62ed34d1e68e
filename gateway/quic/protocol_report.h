#ifndef GATEWAY_QUIC_PROTOCOL_REPORT_H_
#define GATEWAY_QUIC_PROTOCOL_REPORT_H_

#include "proto/gateway/v1/node.pb.h"
#include "quic/calls/rpc_protocol_server.h"
#include "quic/http3/http_protocol_server.h"

namespace sluice {

// Every counter of a protocol as GetNode tells it (QuicProtocolStatus.requests), by the name that
// it has in the code. What never happened is left out.
void ReportRequests(const RpcProtocolCounters& counters, gateway::v1::QuicProtocolStatus& out);
void ReportRequests(const HttpProtocolCounters& counters, gateway::v1::QuicProtocolStatus& out);

}  // namespace sluice

#endif  // GATEWAY_QUIC_PROTOCOL_REPORT_H_
