#include "gateway/quic/quic_report.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "gateway/quic/protocol_report.h"
#include "proto/gateway/v1/node.pb.h"
#include "quic/calls/rpc_protocol.h"
#include "quic/connection/close_reason.h"
#include "quic/http3/http_protocol.h"
#include "quic/server/endpoint_verdict.h"

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;

template <typename Counts>
void AddCount(absl::string_view name, uint64_t count, Counts& out) {
  if (count == 0) {
    return;
  }
  pb::NamedCount& named = *out.Add();
  named.set_name(std::string(name));
  named.set_count(count);
}

std::optional<CallTransportKind> TransportOf(absl::string_view protocol) {
  if (protocol == kRpcProtocolName) {
    return CallTransportKind::kRpc;
  }
  if (protocol == kHttpProtocolName) {
    return CallTransportKind::kHttp;
  }
  return std::nullopt;
}

void ReportProtocol(const ServedProtocolCounters& counters, const CallCounters& calls,
                    pb::QuicProtocolStatus& out) {
  out.set_name(std::string(counters.name));
  out.set_connections(counters.accepted);
  out.set_refused(counters.refused);
  for (size_t i = 0; i < kCloseCauseCount; ++i) {
    AddCount(CloseCauseName(static_cast<CloseCause>(i)), counters.ended[i], *out.mutable_ended());
  }
  const std::optional<CallTransportKind> transport = TransportOf(counters.name);
  for (size_t i = 0; transport.has_value() && i < kCallOutcomes; ++i) {
    const auto outcome = static_cast<CallOutcome>(i);
    AddCount(CallOutcomeName(outcome), calls.total(*transport, outcome), *out.mutable_calls());
  }
}

// What hits limits without a row of their own in Node.limits, and what is lost.
void ReportLosses(const QuicFigures& figures, pb::QuicStatus& out) {
  auto& closed = *out.mutable_closed();
  AddCount("unknown_protocol", figures.served.unknown_protocol, closed);
  AddCount("broken", figures.served.broken, closed);
  AddCount("overloading", figures.served.overloading, closed);
  AddCount("drained", figures.served.drained, closed);
  auto& limits = *out.mutable_limits_reached();
  AddCount("participant_calls", figures.threads.refused, limits);
  AddCount("pending_calls", figures.pending.calls_refused, limits);
  AddCount("event_streams", figures.pending.streams_refused, limits);
  AddCount("datagrams_per_turn", figures.listener.outbox_full, limits);
  AddCount("listener_commands", figures.listener.commands_refused, limits);
  AddCount("unusable_datagrams", figures.listener.receive.unusable, limits);
  AddCount("key_log", figures.key_log_lines_lost, limits);
  auto& lost = *out.mutable_calls_lost();
  AddCount("not_begun", figures.pending.not_begun, lost);
  AddCount("answers_lost", figures.pending.answers_lost, lost);
}

}  // namespace

QuicUse ReportQuic(const QuicFigures& figures) {
  const ListenerCounters& listener = figures.listener;
  const auto verdict = [&listener](EndpointVerdict v) {
    return listener.verdicts[static_cast<size_t>(v)];
  };
  QuicUse use;
  use.connections = {.used = listener.connections,
                     .refused = verdict(EndpointVerdict::kRefusedFull)};
  use.half_open = {.used = listener.half_open,
                   .refused = verdict(EndpointVerdict::kRefusedHalfOpen)};
  use.refused_source = verdict(EndpointVerdict::kRefusedSource);
  use.threads = {.used = figures.threads.busy, .refused = figures.threads.refused};

  pb::QuicStatus& status = use.status;
  status.set_address(figures.address.ToString());
  status.set_connections(listener.connections);
  status.set_half_open(listener.half_open);
  for (size_t i = 0; i < kEndpointVerdictCount; ++i) {
    AddCount(EndpointVerdictName(static_cast<EndpointVerdict>(i)), listener.verdicts[i],
             *status.mutable_datagrams());
  }
  status.set_datagrams_sent(listener.send.sent);
  status.set_datagrams_lost(listener.send.queue_full + listener.send.refused);
  const size_t protocols = std::min(figures.served.protocol_count, figures.served.protocols.size());
  for (size_t i = 0; i < protocols; ++i) {
    const ServedProtocolCounters& counters = figures.served.protocols[i];
    pb::QuicProtocolStatus& protocol = *status.add_protocols();
    ReportProtocol(counters, figures.calls, protocol);
    if (counters.name == kRpcProtocolName) {
      ReportRequests(figures.rpc, protocol);
    } else if (counters.name == kHttpProtocolName) {
      ReportRequests(figures.http, protocol);
    }
  }
  ReportLosses(figures, status);
  status.set_event_streams(figures.pending.streams);
  status.set_certificates_replaced(figures.certificates_replaced);
  status.set_certificates_refused(figures.certificates_refused);
  return use;
}

}  // namespace sluice
