#include "tools/ctl/token_commands.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tools/ctl/duration_text.h"
#include "tools/ctl/text_table.h"

namespace sluice {
namespace {

namespace v1 = ::sluice::gateway::v1;
using Stub = GatewayClient::Stub;

struct Flags {
  std::string session;
  std::string leg;
  std::vector<std::string> rights;
  std::optional<std::string> lifetime;
  std::string token_id;
};

struct RightName {
  const char* name;
  v1::ParticipantRight right;
};
constexpr RightName kRights[] = {{"join", v1::PARTICIPANT_RIGHT_JOIN},
                                 {"update", v1::PARTICIPANT_RIGHT_UPDATE},
                                 {"leave", v1::PARTICIPANT_RIGHT_LEAVE},
                                 {"events", v1::PARTICIPANT_RIGHT_EVENTS}};

absl::Status AddRight(const std::string& name, v1::CreateParticipantTokenRequest& request) {
  for (const RightName& known : kRights) {
    if (name == known.name) {
      request.add_rights(known.right);
      return absl::OkStatus();
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--right: '", name, "' is not join, update, leave or events"));
}

Command Create(const Flags& flags) {
  v1::CreateParticipantTokenRequest request;
  request.set_session_id(flags.session);
  request.set_leg_id(flags.leg);
  for (const std::string& name : flags.rights) {
    if (absl::Status status = AddRight(name, request); !status.ok()) return Refuse(status);
  }
  if (flags.lifetime.has_value()) {
    const auto lifetime = ParseDuration(*flags.lifetime);
    if (!lifetime.ok()) {
      return Refuse(
          absl::InvalidArgumentError(absl::StrCat("--lifetime: ", lifetime.status().message())));
    }
    *request.mutable_lifetime() = ToProto(*lifetime);
  }
  return Ask(&Stub::CreateParticipantToken, request,
             [](const v1::CreateParticipantTokenResponse& answer) {
               return Printable(absl::StrCat("token ", answer.token_id(), ", until ",
                                             FormatTime(answer.expire_time()),
                                             ", for the participant alone:")) +
                      "\n" + Printable(answer.token()) + "\n";
             });
}

Command Revoke(const Flags& flags) {
  v1::RevokeParticipantTokenRequest request;
  request.set_token_id(flags.token_id);
  return Ask(&Stub::RevokeParticipantToken, request,
             [](const v1::RevokeParticipantTokenResponse&) { return std::string("revoked\n"); });
}

}  // namespace

void AddTokenCommands(CLI::App& app, Invocation& invocation) {
  CLI::App& token = *app.add_subcommand("token", "What participants signal with");
  token.require_subcommand(1);
  auto flags = std::make_shared<Flags>();

  CLI::App& create =
      *token.add_subcommand("create", "Make a token for one leg of a live session, and show it");
  create.add_option("SESSION", flags->session, "id of the session")->required();
  create.add_option("LEG", flags->leg, "id of the leg, which need not be there")->required();
  create
      .add_option("--right", flags->rights,
                  "join, update, leave or events; may be repeated; default: all")
      ->expected(1)
      ->take_all();
  create.add_option("--lifetime", flags->lifetime, "10s to 24h; default 1h");
  create.callback([&invocation, flags] { invocation.command = Create(*flags); });
  create.footer(
      "Example:\n"
      "  sluicectl token create call-1 alice --right join --right leave --lifetime 10m");

  CLI::App& revoke = *token.add_subcommand("revoke", "Refuse a token from now on");
  revoke.add_option("ID", flags->token_id, "as `token create` showed it")->required();
  revoke.callback([&invocation, flags] { invocation.command = Revoke(*flags); });
}

}  // namespace sluice
