#include "tools/ctl/stats_commands.h"

#include <memory>

#include "absl/strings/str_cat.h"
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
  bool streams = false;
};

Command Stats(const Flags& flags) {
  const auto interval = ParseDuration(flags.interval);
  if (!interval.ok()) {
    return Refuse(
        absl::InvalidArgumentError(absl::StrCat("--interval: ", interval.status().message())));
  }
  return WithGateway([flags, interval = *interval](Console& console, GatewayClient& client) {
    v1::GetStatsRequest request;
    request.set_session_id(flags.session);
    TrafficRates rates;
    StopSignal stop;
    for (;;) {
      v1::GetStatsResponse response;
      const grpc::Status status = client.Call(&Stub::GetStats, request, response);
      if (!status.ok()) return Outcome::Failed(status);
      const v1::SessionStats& stats = response.stats();
      const std::string table = RenderStats(stats, rates.Update(stats), flags.streams);
      if (console.interactive() && !flags.once) {
        console.Redraw(table);
      } else {
        console.Show(response, table);
      }
      const bool ended = stats.state() == v1::SESSION_STATE_ENDED;
      if (flags.once || ended || stop.Wait(interval)) return Outcome::Ok();
    }
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
  stats.add_flag("--streams", flags->streams, "also one row per SSRC");
  stats.add_option("--interval", flags->interval, "time between two samples; default 1s");
  stats.callback([&invocation, flags] { invocation.command = Stats(*flags); });
  stats.footer(
      "Examples:\n"
      "  sluicectl stats call-1\n"
      "  sluicectl stats call-1 --once --output=json");

  CLI::App& node = *app.add_subcommand("node", "The gateway itself: workers and limits in use");
  node.callback([&invocation] { invocation.command = Node(); });
}

}  // namespace sluice
