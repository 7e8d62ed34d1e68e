#include "tools/ctl/signal_commands.h"

#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "tools/ctl/event_view.h"
#include "tools/ctl/leg_flags.h"
#include "tools/ctl/leg_key_view.h"
#include "tools/ctl/leg_options.h"
#include "tools/ctl/mki_text.h"
#include "tools/ctl/signalling_client.h"
#include "tools/ctl/stats_view.h"
#include "tools/ctl/text_table.h"

namespace sluice {
namespace {

namespace v1 = ::sluice::signalling::v1;
using Stub = SignallingClient::Stub;

struct Flags {
  std::string target;
  std::string token;
  std::string token_file;
  LegFlags config;
  std::vector<std::string> offers;
  uint64_t after = 0;
  std::string instance;
};

absl::StatusOr<std::string> ReadToken(const Flags& flags) {
  if (flags.token.empty() == flags.token_file.empty()) {
    return absl::InvalidArgumentError("give the token with --token-file or with --token");
  }
  if (!flags.token.empty()) return flags.token;
  std::ifstream file(flags.token_file);
  std::string line;
  while (std::getline(file, line)) {
    const absl::string_view token = absl::StripAsciiWhitespace(line);
    if (!token.empty()) return std::string(token);
  }
  return absl::NotFoundError(absl::StrCat("--token-file: there is no token in ", flags.token_file));
}

// A command that talks to the gateway as a participant.
Command WithSignalling(const Flags& flags,
                       std::function<Outcome(Console&, SignallingClient&)> command) {
  return
      [flags, command = std::move(command)](Console& console, const ConnectionOptions& connection) {
        const absl::StatusOr<std::string> token = ReadToken(flags);
        if (absl::IsInvalidArgument(token.status())) return Outcome::Usage(token.status());
        if (!token.ok()) return Outcome::Failed(token.status());
        const auto client = SignallingClient::Create({.target = flags.target,
                                                      .token = *token,
                                                      .tls_dir = connection.tls_dir,
                                                      .insecure = connection.insecure,
                                                      .timeout = connection.timeout});
        if (absl::IsInvalidArgument(client.status())) return Outcome::Usage(client.status());
        if (!client.ok()) return Outcome::Failed(client.status());
        return command(console, **client);
      };
}

template <typename Request, typename Response>
Command Ask(const Flags& flags,
            grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
            const Request& request, std::string (*render)(const Response&)) {
  return WithSignalling(flags, [=](Console& console, SignallingClient& client) {
    Response response;
    const grpc::Status status = client.Call(method, request, response);
    if (!status.ok()) return Outcome::Failed(status);
    console.Show(response, render(response));
    return Outcome::Ok();
  });
}

std::string RenderJoined(const v1::JoinResponse& answer) {
  return RenderLegAndKey(answer.leg(), answer.has_local_key(), answer.local_key());
}

std::string RenderLeft(const v1::LeaveResponse& answer) {
  return absl::StrCat("left; what became of its packets: ", FormatVerdicts(answer.final_stats()),
                      "\n");
}

Command Join(const Flags& flags) {
  if (flags.config.remote_key.has_value()) {
    return Refuse(absl::InvalidArgumentError("--remote-key: a participant offers keys, --offer"));
  }
  const auto config = BuildLegConfig(flags.config);
  if (!config.ok()) return Refuse(config.status());
  v1::JoinRequest request;
  *request.mutable_config() = *config;
  if (flags.config.local_mki.has_value()) {
    const auto mki = ParseMki(*flags.config.local_mki);
    if (!mki.ok()) {
      return Refuse(
          absl::InvalidArgumentError(absl::StrCat("--local-mki: ", mki.status().message())));
    }
    request.mutable_config()->set_local_mki(*mki);
  }
  for (const std::string& offer : flags.offers) {
    const auto key = ParseSrtpKey(offer, "");
    if (!key.ok()) {
      return Refuse(absl::InvalidArgumentError(absl::StrCat("--offer: ", key.status().message())));
    }
    *request.add_offered_keys() = *key;
  }
  return Ask(flags, &Stub::Join, request, &RenderJoined);
}

Command Leave(const Flags& flags) {
  return Ask(flags, &Stub::Leave, v1::LeaveRequest(), &RenderLeft);
}

void ShowResponse(Console& console, const v1::WatchEventsResponse& response) {
  console.Show(response,
               response.has_event()
                   ? RenderEvent(response.event())
                   : Printable(absl::StrCat("# gateway instance ", response.instance_id(),
                                            ", newest event ", response.latest_sequence())));
}

Command Events(const Flags& flags) {
  v1::WatchEventsRequest request;
  request.set_after_sequence(flags.after);
  request.set_instance_id(flags.instance);
  return WithSignalling(flags, [request](Console& console, SignallingClient& client) {
    grpc::ClientContext context;
    const auto stream = client.WatchEvents(context, request);
    v1::WatchEventsResponse response;
    while (stream->Read(&response)) ShowResponse(console, response);
    const grpc::Status status = stream->Finish();
    return status.ok() ? Outcome::Ok() : Outcome::Failed(status);
  });
}

CLI::App& Add(CLI::App& group, Invocation& invocation, const char* name, const char* description,
              const std::shared_ptr<Flags>& flags, Command (*make)(const Flags&)) {
  CLI::App& command = *group.add_subcommand(name, description);
  command
      .add_option("--target", flags->target,
                  "ADDRESS:PORT where the gateway serves participants (its --signalling-listen)")
      ->envname("SLUICE_SIGNALLING")
      ->required();
  command.add_option("--token", flags->token,
                     "as `token create` showed it; everybody on this machine can read it");
  command.add_option("--token-file", flags->token_file, "file with the token in its first line");
  command.callback([&invocation, flags, make] { invocation.command = make(*flags); });
  return command;
}

}  // namespace

void AddSignalCommands(CLI::App& app, Invocation& invocation) {
  CLI::App& signal = *app.add_subcommand("signal", "What a participant does, with its token");
  signal.require_subcommand(1);
  // Each command has its own: the environment sets --target of all of them, also of those that are
  // not called.
  const auto join_flags = std::make_shared<Flags>();
  const auto leave_flags = std::make_shared<Flags>();
  const auto events_flags = std::make_shared<Flags>();

  CLI::App& join =
      Add(signal, invocation, "join", "Add the token's leg; shows the gateway's ports and its key",
          join_flags, Join);
  join.add_option(
          "--offer", join_flags->offers,
          "SUITE:inline:BASE64 or @FILE: a key to protect with, best first; may be repeated")
      ->expected(1)
      ->take_all();
  join.add_flag("--rtcp-mux", join_flags->config.rtcp_mux, "RTCP on the RTP port");
  join.add_option("--ip-family", join_flags->config.ip_family,
                  "4 or 6; default: that of --remote, or 4");
  join.add_option("--local-suite", join_flags->config.local_suite,
                  "suite of the gateway's own key; default: that of the key it chooses");
  AddChangeableLegOptions(join, join_flags->config);
  join.footer(
      "Example:\n"
      "  sluicectl signal join --target 127.0.0.1:7444 --token-file alice.token \\\n"
      "      --remote 192.0.2.1:5004 --offer @alice.key");

  Add(signal, invocation, "leave", "Remove the token's leg", leave_flags, Leave);

  CLI::App& events = Add(signal, invocation, "events",
                         "Follow the token's leg until its session ends", events_flags, Events);
  events.add_option("--after", events_flags->after,
                    "begin with the kept events after this sequence number; needs --instance");
  events.add_option("--instance", events_flags->instance,
                    "the gateway instance that --after is from");
}

}  // namespace sluice
