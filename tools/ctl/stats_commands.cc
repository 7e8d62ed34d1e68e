#include "tools/ctl/stats_commands.h"

#include <google/protobuf/message.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "tools/ctl/duration_text.h"
#include "tools/ctl/node_view.h"
#include "tools/ctl/stats_view.h"
#include "tools/ctl/stop_signal.h"
#include "tools/ctl/traffic_rates.h"

namespace sluice {
namespace {

namespace v1 = ::sluice::gateway::v1;
using Stub = GatewayClient::Stub;

struct Flags {
  std::string session;
  std::string interval = "1s";
  bool once = false;
  bool watch = false;
  bool streams = false;
};

// One sample on its way to the screen; `message` is the answer that it came in.
void ShowSample(const google::protobuf::Message& message, const v1::SessionStats& stats,
                const Flags& flags, TrafficRates& rates, Console& console) {
  const std::string table = RenderStats(stats, rates.Update(stats), flags.streams);
  if (console.interactive() && !flags.once) {
    console.Redraw(table);
  } else {
    console.Show(message, table);
  }
}

// The gateway sends the samples, and ends with the session.
Outcome Watch(const Flags& flags, absl::Duration interval, Console& console,
              GatewayClient& client) {
  v1::WatchStatsRequest request;
  request.set_session_id(flags.session);
  *request.mutable_interval() = ToProto(interval);
  grpc::ClientContext context;
  const auto stream = client.WatchStats(context, request);
  TrafficRates rates;
  v1::WatchStatsResponse response;
  while (stream->Read(&response)) ShowSample(response, response.stats(), flags, rates, console);
  const grpc::Status status = stream->Finish();
  return status.ok() ? Outcome::Ok() : Outcome::Failed(status);
}

// Asks for one sample after the other.
Outcome Poll(const Flags& flags, absl::Duration interval, Console& console, GatewayClient& client) {
  v1::GetStatsRequest request;
  request.set_session_id(flags.session);
  TrafficRates rates;
  StopSignal stop;
  for (;;) {
    v1::GetStatsResponse response;
    const grpc::Status status = client.Call(&Stub::GetStats, request, response);
    if (!status.ok()) return Outcome::Failed(status);
    ShowSample(response, response.stats(), flags, rates, console);
    const bool ended = response.stats().state() == v1::SESSION_STATE_ENDED;
    if (flags.once || ended || stop.Wait(interval)) return Outcome::Ok();
  }
}

Command Stats(const Flags& flags) {
  const auto interval = ParseDuration(flags.interval);
  if (!interval.ok()) {
    return Refuse(
        absl::InvalidArgumentError(absl::StrCat("--interval: ", interval.status().message())));
  }
  if (flags.watch && flags.once) {
    return Refuse(absl::InvalidArgumentError("--watch and --once exclude each other"));
  }
  return WithGateway([flags, interval = *interval](Console& console, GatewayClient& client) {
    return flags.watch ? Watch(flags, interval, console, client)
                       : Poll(flags, interval, console, client);
  });
}

Command Node() {
  return Ask(&Stub::GetNode, v1::GetNodeRequest(),
             [](const v1::GetNodeResponse& answer) { return RenderNode(answer.node()); });
}

}  // namespace

void AddStatsCommands(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<Flags>();
  CLI::App& stats = *app.add_subcommand(
      "stats", "Rates, loss, jitter and what became of packets, until the session ends or Ctrl-C");
  stats.add_option("SESSION", flags->session, "id of the session")->required();
  stats.add_flag("--once", flags->once, "one table instead of a live one");
  stats.add_flag(
      "--watch", flags->watch,
      "let the gateway send the samples, the last one at the session's very end; takes a "
      "watcher's place there");
  stats.add_flag("--streams", flags->streams, "also one row per SSRC, and what was said about it");
  stats.add_option("--interval", flags->interval,
                   "time between two samples; default 1s; with --watch 100ms to 1h");
  stats.callback([&invocation, flags] { invocation.command = Stats(*flags); });
  stats.footer(
      "Examples:\n"
      "  sluicectl stats call-1\n"
      "  sluicectl stats call-1 --once --output=json\n"
      "  sluicectl stats call-1 --watch --interval 5s --streams");

  CLI::App& node = *app.add_subcommand("node", "The gateway itself: workers and limits in use");
  node.callback([&invocation] { invocation.command = Node(); });
}

}  // namespace sluice
