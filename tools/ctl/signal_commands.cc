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
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tools/ctl/duration_text.h"
#include "tools/ctl/event_view.h"
#include "tools/ctl/leg_flags.h"
#include "tools/ctl/leg_key_view.h"
#include "tools/ctl/leg_options.h"
#include "tools/ctl/leg_update.h"
#include "tools/ctl/mki_text.h"
#include "tools/ctl/open_signalling.h"
#include "tools/ctl/signalling_client.h"
#include "tools/ctl/signalling_over_quic.h"
#include "tools/ctl/stats_view.h"
#include "tools/ctl/text_table.h"

namespace sluice {
namespace {

namespace v1 = ::sluice::signalling::v1;
struct Flags {
  std::string target;
  std::string quic;
  std::string server_name;
  std::string token;
  std::string token_file;
  LegUpdateFlags update;
  std::vector<std::string> offers;
  uint64_t after = 0;
  std::string instance;
  std::string payload;
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

// What to speak with. --quic beats --target, which the environment may have set.
absl::StatusOr<std::string> TargetOf(const Flags& flags) {
  if (flags.quic.empty() && flags.target.empty()) {
    return absl::InvalidArgumentError(
        "say where the gateway serves participants, with --target or --quic");
  }
  if (flags.quic.empty()) return flags.target;
  return absl::StrCat(absl::StartsWith(flags.quic, kQuicScheme) ? "" : kQuicScheme, flags.quic);
}

// A command that talks to the gateway as a participant.
Command WithSignalling(const Flags& flags,
                       std::function<Outcome(Console&, SignallingClient&)> command) {
  return
      [flags, command = std::move(command)](Console& console, const ConnectionOptions& connection) {
        const absl::StatusOr<std::string> target = TargetOf(flags);
        if (!target.ok()) return Outcome::Usage(target.status());
        const absl::StatusOr<std::string> token = ReadToken(flags);
        if (absl::IsInvalidArgument(token.status())) return Outcome::Usage(token.status());
        if (!token.ok()) return Outcome::Failed(token.status());
        const auto client = OpenSignalling({.target = *target,
                                            .token = *token,
                                            .tls_dir = connection.tls_dir,
                                            .insecure = connection.insecure,
                                            .server_name = flags.server_name,
                                            .timeout = connection.timeout});
        if (absl::IsInvalidArgument(client.status())) return Outcome::Usage(client.status());
        if (!client.ok()) return Outcome::Failed(client.status());
        return command(console, **client);
      };
}

template <typename Request, typename Response>
Command Ask(const Flags& flags, grpc::Status (SignallingClient::*method)(const Request&, Response&),
            const Request& request, std::string (*render)(const Response&)) {
  return WithSignalling(flags, [=](Console& console, SignallingClient& client) {
    Response response;
    const grpc::Status status = (client.*method)(request, response);
    if (!status.ok()) return Outcome::Failed(status);
    const std::string trip = client.LastTrip();
    console.Show(response, absl::StrCat(render(response), trip.empty() ? "" : "over ", trip,
                                        trip.empty() ? "" : "\n"));
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

std::string RenderUpdated(const v1::UpdateLegResponse& answer) {
  return RenderLegAndKey(answer.leg(), answer.has_local_key(), answer.local_key());
}

std::string RenderPong(const v1::PingResponse& answer) {
  return absl::StrCat("the gateway answers; its clock: ", FormatTime(answer.server_time()), "\n");
}

Command Join(const Flags& flags) {
  if (flags.update.config.remote_key.has_value()) {
    return Refuse(absl::InvalidArgumentError("--remote-key: a participant offers keys, --offer"));
  }
  const auto config = BuildLegConfig(flags.update.config);
  if (!config.ok()) return Refuse(config.status());
  v1::JoinRequest request;
  *request.mutable_config() = *config;
  if (flags.update.config.local_mki.has_value()) {
    const auto mki = ParseMki(*flags.update.config.local_mki);
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
  return Ask(flags, &SignallingClient::Join, request, &RenderJoined);
}

Command Update(const Flags& flags) {
  v1::UpdateLegRequest request;
  if (absl::Status status = FillLegUpdate(flags.update, request); !status.ok()) {
    return Refuse(status);
  }
  return Ask(flags, &SignallingClient::UpdateLeg, request, &RenderUpdated);
}

Command Ping(const Flags& flags) {
  v1::PingRequest request;
  request.set_payload(flags.payload);
  return Ask(flags, &SignallingClient::Ping, request, &RenderPong);
}

Command Leave(const Flags& flags) {
  return Ask(flags, &SignallingClient::Leave, v1::LeaveRequest(), &RenderLeft);
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
    const grpc::Status status = client.WatchEvents(
        request,
        [&console](const v1::WatchEventsResponse& response) { ShowResponse(console, response); });
    return status.ok() ? Outcome::Ok() : Outcome::Failed(status);
  });
}

CLI::App& Add(CLI::App& group, Invocation& invocation, const char* name, const char* description,
              const std::shared_ptr<Flags>& flags, Command (*make)(const Flags&)) {
  CLI::App& command = *group.add_subcommand(name, description);
  command
      .add_option("--target", flags->target,
                  "ADDRESS:PORT where the gateway serves participants over gRPC (its "
                  "--signalling-listen), or quic://HOST:PORT")
      ->envname("SLUICE_SIGNALLING");
  command.add_option("--quic", flags->quic,
                     "HOST:PORT where it serves them over QUIC (its --quic-listen)");
  command.add_option("--server-name", flags->server_name,
                     "over QUIC: the name or address in the gateway's certificate; default: the "
                     "host's, or localhost for loopback");
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
  const auto update_flags = std::make_shared<Flags>();
  const auto leave_flags = std::make_shared<Flags>();
  const auto events_flags = std::make_shared<Flags>();
  const auto ping_flags = std::make_shared<Flags>();

  CLI::App& join =
      Add(signal, invocation, "join", "Add the token's leg; shows the gateway's ports and its key",
          join_flags, Join);
  join.add_option(
          "--offer", join_flags->offers,
          "SUITE:inline:BASE64 or @FILE: a key to protect with, best first; may be repeated")
      ->expected(1)
      ->take_all();
  join.add_flag("--rtcp-mux", join_flags->update.config.rtcp_mux, "RTCP on the RTP port");
  join.add_option("--ip-family", join_flags->update.config.ip_family,
                  "4 or 6; default: that of --remote, or 4");
  join.add_option("--local-suite", join_flags->update.config.local_suite,
                  "suite of the gateway's own key; default: that of the key it chooses");
  AddChangeableLegOptions(join, join_flags->update.config);
  join.footer(
      "Example:\n"
      "  sluicectl signal join --target 127.0.0.1:7444 --token-file alice.token \\\n"
      "      --remote 192.0.2.1:5004 --offer @alice.key\n"
      "  sluicectl signal join --quic gw.example:7445 --token-file alice.token \\\n"
      "      --remote 192.0.2.1:5004 --offer @alice.key");

  CLI::App& update =
      Add(signal, invocation, "update", "New remote, new keys, hold", update_flags, Update);
  AddLegUpdateOptions(update, update_flags->update);

  Add(signal, invocation, "leave", "Remove the token's leg", leave_flags, Leave);

  CLI::App& events = Add(signal, invocation, "events",
                         "Follow the token's leg until its session ends", events_flags, Events);
  events.add_option("--after", events_flags->after,
                    "begin with the kept events after this sequence number; needs --instance");
  events.add_option("--instance", events_flags->instance,
                    "the gateway instance that --after is from");

  CLI::App& ping = Add(signal, invocation, "ping",
                       "Whether the gateway answers and takes the token", ping_flags, Ping);
  ping.add_option("--payload", ping_flags->payload, "text to be sent back, at most 64 bytes");
}

}  // namespace sluice
