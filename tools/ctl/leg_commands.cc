#include "tools/ctl/leg_commands.h"

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tools/ctl/interceptor_text.h"
#include "tools/ctl/leg_flags.h"
#include "tools/ctl/leg_key_view.h"
#include "tools/ctl/leg_options.h"
#include "tools/ctl/leg_update.h"
#include "tools/ctl/mki_text.h"
#include "tools/ctl/stats_view.h"

namespace sluice {
namespace {

namespace v1 = ::sluice::gateway::v1;
using Stub = GatewayClient::Stub;

struct Flags {
  std::string session;
  std::string leg;
  LegUpdateFlags update;
};

Command Add(const Flags& flags) {
  const auto config = BuildLegConfig(flags.update.config);
  if (!config.ok()) return Refuse(config.status());
  v1::AddLegRequest request;
  request.set_session_id(flags.session);
  request.set_leg_id(flags.leg);
  *request.mutable_config() = *config;
  if (flags.update.config.local_mki.has_value()) {
    const auto mki = ParseMki(*flags.update.config.local_mki);
    if (!mki.ok()) return Refuse(AtFlag("--local-mki", mki.status()));
    request.mutable_config()->set_local_mki(*mki);
  }
  return Ask(&Stub::AddLeg, request, [](const v1::AddLegResponse& answer) {
    return RenderLegAndKey(answer.leg(), answer.has_local_key(), answer.local_key());
  });
}

Command Update(const Flags& flags) {
  v1::UpdateLegRequest request;
  request.set_session_id(flags.session);
  request.set_leg_id(flags.leg);
  if (absl::Status status = FillLegUpdate(flags.update, request); !status.ok()) {
    return Refuse(status);
  }
  return Ask(&Stub::UpdateLeg, request, [](const v1::UpdateLegResponse& answer) {
    return RenderLegAndKey(answer.leg(), answer.has_local_key(), answer.local_key());
  });
}

Command Remove(const Flags& flags) {
  v1::RemoveLegRequest request;
  request.set_session_id(flags.session);
  request.set_leg_id(flags.leg);
  return Ask(&Stub::RemoveLeg, request, [](const v1::RemoveLegResponse& answer) {
    return absl::StrCat(
        "removed; what became of its packets: ", FormatVerdicts(answer.final_stats()), "\n");
  });
}

CLI::App& AddCommand(CLI::App& group, Invocation& invocation, const char* name,
                     const char* description, const std::shared_ptr<Flags>& flags,
                     Command (*make)(const Flags&)) {
  CLI::App& command = *group.add_subcommand(name, description);
  command.add_option("SESSION", flags->session, "id of the session")->required();
  command.add_option("LEG", flags->leg, "id of the leg")->required();
  command.callback([&invocation, flags, make] { invocation.command = make(*flags); });
  return command;
}

}  // namespace

void AddLegCommands(CLI::App& app, Invocation& invocation) {
  CLI::App& leg = *app.add_subcommand("leg", "One peer's transport in a session");
  leg.require_subcommand(1);
  auto flags = std::make_shared<Flags>();

  CLI::App& add =
      AddCommand(leg, invocation, "add",
                 "Add a leg; shows the gateway's ports and, for srtp, its key", flags, Add);
  add.add_option("--kind", flags->update.config.kind, "rtp or srtp")->required();
  add.add_flag("--rtcp-mux", flags->update.config.rtcp_mux, "RTCP on the RTP port");
  add.add_option("--ip-family", flags->update.config.ip_family,
                 "4 or 6; default: that of --remote, or 4");
  add.add_option("--local-suite", flags->update.config.local_suite,
                 "suite of the gateway's own key; default: that of --remote-key");
  AddChangeableLegOptions(add, flags->update.config);
  add.footer(
      "Examples:\n"
      "  sluicectl leg add call-1 bob --kind rtp --remote 192.0.2.7:4000\n"
      "  sluicectl leg add call-1 alice --kind srtp --remote 192.0.2.1:5004 \\\n"
      "      --remote-key AES_CM_128_HMAC_SHA1_80:inline:BASE64 --payload-type 111:opus:48000\n"
      "  sluicectl leg add call-1 carol --kind srtp --remote 192.0.2.9:5004 --local-mki 1:4 \\\n"
      "      --remote-key 'AEAD_AES_256_GCM:inline:BASE64|1:4' --local-option cryptex=required \\\n"
      "      --remote-option cryptex=required --remote-option rtp_replay_window=4096\n"
      "  sluicectl leg add call-1 dave --kind rtp --remote 192.0.2.8:4000 --rtcp-mux \\\n"
      "      --payload-type 96:VP8/90000:nack,nack-pli,ccm-fir,transport-cc \\\n"
      "      --payload-type 97:rtx/90000:apt=96 --stream 1001,rtx=1002 \\\n"
      "      --extension 3=http://www.ietf.org/id/"
      "draft-holmer-rmcat-transport-wide-cc-extensions-01\n"
      "\n"
      "Suites: " +
      CryptoSuiteNames() +
      ".\nNULL suites encrypt nothing: they are used when they are named, and only then.\n"
      "Options: encrypted_extension_ids=1,3  cryptex=off|on|required  rtp_replay_window=N\n"
      "  rtcp_replay_window=N (remote)  key_derivation_rate=N  unencrypted_rtcp=true|false\n"
      "  rtp_lifetime=[SOFT/]HARD  rtcp_lifetime=[SOFT/]HARD\n"
      "Feedback: nack  nack-pli  ccm-fir  goog-remb  transport-cc  ack-ccfb; apt=NUMBER: what rtx\n"
      "  repeats or red wraps.\n"
      "Interceptors: " +
      InterceptorNames() + ".");

  CLI::App& update =
      AddCommand(leg, invocation, "update", "New remote, new keys, hold", flags, Update);
  AddLegUpdateOptions(update, flags->update);
  update.footer(
      "Examples:\n"
      "  sluicectl leg update call-1 alice --hold\n"
      "  sluicectl leg update call-1 alice --local-key prepare\n"
      "  sluicectl leg update call-1 alice --interceptor pacer=on --interceptor nack=off\n"
      "Interceptors are given as a whole: what is not named becomes what was negotiated.\n"
      "With MKIs, keys live side by side:\n"
      "  sluicectl leg update call-1 carol --local-key prepare --local-mki 2:4\n"
      "  sluicectl leg update call-1 carol --local-key activate --local-mki 2:4\n"
      "  sluicectl leg update call-1 carol --local-key retire --local-mki 1:4\n"
      "  sluicectl leg update call-1 carol --remote-key 'AEAD_AES_256_GCM:inline:BASE64|2:4' \\\n"
      "      --retire-remote-key 1:4");

  AddCommand(leg, invocation, "remove", "Remove a leg and free its ports", flags, Remove);
}

}  // namespace sluice
