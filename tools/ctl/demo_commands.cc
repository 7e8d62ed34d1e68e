#include "tools/ctl/demo_commands.h"

#include <google/protobuf/struct.pb.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/ctl/demo/call_report.h"
#include "tools/ctl/demo/demo_call.h"
#include "tools/ctl/demo/quic_story.h"
#include "tools/ctl/stats_view.h"
#include "tools/ctl/stop_signal.h"
#include "tools/ctl/transport_text.h"

namespace sluice {
namespace {

// A day: who wants more leaves the flag out.
constexpr int kSecondsMax = 86400;

std::string RenderSummary(const DemoCall& call) {
  std::string text = absl::StrCat("\n", RenderReport(call.evidence()), "\n");
  if (const std::optional<QuicStory> story = call.quic_story(); story.has_value()) {
    absl::StrAppend(&text, RenderQuicStory("alice", *story), "\n");
  }
  for (const auto& leg : call.final_stats().legs()) {
    absl::StrAppend(&text, "what became of the packets from ", leg.leg_id(), ": ",
                    FormatVerdicts(leg), "\n");
  }
  return text;
}

Outcome Play(const DemoOptions& options, Console& console, GatewayClient& client) {
  StopSignal stop;
  const auto call = DemoCall::Create(options, console, client, stop);
  if (!call.ok()) return Outcome::Failed(call.status());
  const absl::Status played = (*call)->Play();
  console.EndRedraw();
  if (!played.ok()) return Outcome::Failed(played);
  google::protobuf::Struct report = ReportToJson((*call)->evidence());
  if (const std::optional<QuicStory> story = (*call)->quic_story(); story.has_value()) {
    *(*report.mutable_fields())["quic"].mutable_struct_value() = QuicStoryToJson(*story);
  }
  console.Show(report, RenderSummary(**call));
  std::vector<std::string> faults;
  for (const DirectionEvidence& direction : (*call)->evidence()) {
    for (std::string& fault : FindFaults(direction)) faults.push_back(std::move(fault));
  }
  if (!faults.empty()) {
    return Outcome::Failed(absl::DataLossError(absl::StrCat("the call did not arrive whole:\n  ",
                                                            absl::StrJoin(faults, "\n  "), "\n",
                                                            (*call)->LastWords())));
  }
  console.Say(
      "Both directions arrived: everything sent was forwarded, and decoded at the far end.");
  return Outcome::Ok();
}

}  // namespace

void AddDemoCommands(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<DemoOptions>();
  CLI::App& demo = *app.add_subcommand(
      "demo",
      "Play a call through the gateway, with ffmpeg at both ends, and check that it arrives");
  demo.add_option("--seconds", options->seconds, "how long; default: until Ctrl-C")
      ->check(CLI::Range(0, kSecondsMax));
  demo.add_option("--media-ip", options->media_ip,
                  "address of this machine that the gateway can reach; default 127.0.0.1");
  demo.add_option("--quic", options->quic,
                  "HOST:PORT of the gateway's --quic-listen: alice joins there by herself, with a "
                  "token");
  demo.callback([&invocation, options] {
    if (!IsIpLiteral(options->media_ip)) {
      invocation.command = Refuse(absl::InvalidArgumentError(
          absl::StrCat("--media-ip: '", options->media_ip, "' is not an IP address")));
      return;
    }
    invocation.command = [options](Console& console, const ConnectionOptions& connection) {
      options->signalling.tls_dir = connection.tls_dir;
      options->signalling.insecure = connection.insecure;
      options->signalling.timeout = connection.timeout;
      const Command play = WithGateway(
          [options](Console& c, GatewayClient& client) { return Play(*options, c, client); });
      return play(console, connection);
    };
  });
  demo.footer(
      "Alice speaks SRTP (AES_CM_128_HMAC_SHA1_80), bob RTP; each hears the other's tone. Exit "
      "code 0\n"
      "only if both directions were forwarded without loss and the tones were heard.\n"
      "\n"
      "Examples:\n  sluicectl demo --seconds 10\n"
      "  sluicectl demo --quic 127.0.0.1:7445    # alice joins over QUIC");
}

}  // namespace sluice
