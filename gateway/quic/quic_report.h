#ifndef GATEWAY_QUIC_QUIC_REPORT_H_
#define GATEWAY_QUIC_QUIC_REPORT_H_

#include <cstdint>

#include "gateway/control/node_report.h"
#include "gateway/net/transport_address.h"
#include "gateway/signalling/call_counters.h"
#include "gateway/signalling/call_threads.h"
#include "gateway/signalling/pending_calls.h"
#include "quic/calls/rpc_protocol_server.h"
#include "quic/http3/http_protocol_server.h"
#include "quic/io/udp_listener.h"
#include "quic/server/served_connections.h"

namespace sluice {

// What was counted, each by whoever counts it.
struct QuicFigures {
  TransportAddress address;
  const ListenerCounters& listener;
  const ServedCounters& served;
  const CallCounters& calls;
  const RpcProtocolCounters& rpc;
  const HttpProtocolCounters& http;
  CallThreadUsage threads;
  PendingCallUsage pending;
  uint64_t key_log_lines_lost = 0;
  uint64_t certificates_replaced = 0;
  uint64_t certificates_refused = 0;
};

// The same as GetNode tells it. What never happened is left out of lists.
QuicUse ReportQuic(const QuicFigures& figures);

}  // namespace sluice

#endif  // GATEWAY_QUIC_QUIC_REPORT_H_
