#include "gateway/quic/protocol_report.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include "absl/strings/string_view.h"
#include "quic/http3/http_server.h"
#include "quic/rpc/rpc_server.h"

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;

template <typename Counters>
struct CounterRow {
  absl::string_view name;
  uint64_t Counters::*counter;
};

constexpr CounterRow<RpcServerCounters> kRpcRows[] = {
    {"calls", &RpcServerCounters::calls},
    {"finished", &RpcServerCounters::finished},
    {"cancelled_by_client", &RpcServerCounters::cancelled_by_client},
    {"deadlines_exceeded", &RpcServerCounters::deadlines_exceeded},
    {"connections_lost", &RpcServerCounters::connections_lost},
    {"answers_broken", &RpcServerCounters::answers_broken},
    {"too_many_calls", &RpcServerCounters::too_many_calls},
    {"refused_while_draining", &RpcServerCounters::refused_while_draining},
    {"streams_unexpected", &RpcServerCounters::streams_unexpected},
    {"frames_unexpected", &RpcServerCounters::frames_unexpected},
    {"frames_too_long", &RpcServerCounters::frames_too_long},
    {"frames_malformed", &RpcServerCounters::frames_malformed},
    {"too_much_unknown", &RpcServerCounters::too_much_unknown},
    {"requests_truncated", &RpcServerCounters::requests_truncated},
    {"requests_without_buffer", &RpcServerCounters::requests_without_buffer},
    {"requests_too_slow", &RpcServerCounters::requests_too_slow},
    {"requests_abandoned", &RpcServerCounters::requests_abandoned},
    {"messages", &RpcServerCounters::messages},
    {"messages_blocked", &RpcServerCounters::messages_blocked},
    {"messages_too_long", &RpcServerCounters::messages_too_long},
    {"statuses_too_long", &RpcServerCounters::statuses_too_long},
    {"stale", &RpcServerCounters::stale},
    {"answers_too_slow", &RpcServerCounters::answers_too_slow},
    {"answers_abandoned", &RpcServerCounters::answers_abandoned},
};
constexpr CounterRow<HttpServerCounters> kHttpRows[] = {
    {"requests", &HttpServerCounters::requests},
    {"finished", &HttpServerCounters::finished},
    {"cancelled_by_client", &HttpServerCounters::cancelled_by_client},
    {"connections_lost", &HttpServerCounters::connections_lost},
    {"answers_broken", &HttpServerCounters::answers_broken},
    {"too_many_requests", &HttpServerCounters::too_many_requests},
    {"rejected_while_draining", &HttpServerCounters::rejected_while_draining},
    {"malformed", &HttpServerCounters::malformed},
    {"incomplete", &HttpServerCounters::incomplete},
    {"fields_repeated", &HttpServerCounters::fields_repeated},
    {"fields_too_long", &HttpServerCounters::fields_too_long},
    {"bodies_too_long", &HttpServerCounters::bodies_too_long},
    {"requests_too_large", &HttpServerCounters::requests_too_large},
    {"requests_without_buffer", &HttpServerCounters::requests_without_buffer},
    {"requests_too_slow", &HttpServerCounters::requests_too_slow},
    {"requests_abandoned", &HttpServerCounters::requests_abandoned},
    {"pieces", &HttpServerCounters::pieces},
    {"pieces_blocked", &HttpServerCounters::pieces_blocked},
    {"pieces_too_long", &HttpServerCounters::pieces_too_long},
    {"stale", &HttpServerCounters::stale},
    {"answers_too_slow", &HttpServerCounters::answers_too_slow},
    {"answers_abandoned", &HttpServerCounters::answers_abandoned},
    {"unknown_streams", &HttpServerCounters::unknown_streams},
    {"failures", &HttpServerCounters::failures},
};
static_assert(std::size(kRpcRows) * sizeof(uint64_t) == sizeof(RpcServerCounters));
static_assert(std::size(kHttpRows) * sizeof(uint64_t) == sizeof(HttpServerCounters));

void AddCount(absl::string_view name, uint64_t count, pb::QuicProtocolStatus& out) {
  if (count == 0) {
    return;
  }
  pb::NamedCount& named = *out.add_requests();
  named.set_name(std::string(name));
  named.set_count(count);
}

template <typename Counters, size_t kSize>
void AddCounts(const CounterRow<Counters> (&rows)[kSize], const Counters& counters,
               pb::QuicProtocolStatus& out) {
  for (const auto& row : rows) {
    AddCount(row.name, counters.*row.counter, out);
  }
}

}  // namespace

void ReportRequests(const RpcProtocolCounters& counters, pb::QuicProtocolStatus& out) {
  AddCounts(kRpcRows, counters.calls, out);
  AddCount("buffers_exhausted", counters.buffers_exhausted, out);
  AddCount("source_exhausted", counters.source_exhausted, out);
}

void ReportRequests(const HttpProtocolCounters& counters, pb::QuicProtocolStatus& out) {
  AddCounts(kHttpRows, counters.requests, out);
  AddCount("buffers_exhausted", counters.buffers_exhausted, out);
  AddCount("source_exhausted", counters.source_exhausted, out);
}

}  // namespace sluice
