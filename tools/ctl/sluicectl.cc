#include "tools/ctl/sluicectl.h"

#include <CLI/CLI.hpp>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "tools/ctl/demo_commands.h"
#include "tools/ctl/duration_text.h"
#include "tools/ctl/event_commands.h"
#include "tools/ctl/invocation.h"
#include "tools/ctl/leg_commands.h"
#include "tools/ctl/pki_commands.h"
#include "tools/ctl/session_commands.h"
#include "tools/ctl/signal_commands.h"
#include "tools/ctl/stats_commands.h"
#include "tools/ctl/token_commands.h"

namespace sluice {
namespace {

constexpr char kDefaultGateway[] = "127.0.0.1:7443";

struct GlobalFlags {
  std::string gateway = kDefaultGateway;
  std::string tls_dir;
  bool insecure = false;
  std::string output = "table";
  std::string timeout = "10s";
};

void AddGlobalFlags(CLI::App& app, GlobalFlags& flags) {
  app.add_option("--gateway", flags.gateway,
                 absl::StrCat("ADDRESS:PORT of the gateway; default ", kDefaultGateway))
      ->envname("SLUICE_GATEWAY")
      ->take_last();
  app.add_option("--tls-dir", flags.tls_dir,
                 "folder with client.crt, client.key and ca.crt; default "
                 "${XDG_STATE_HOME:-~/.local/state}/sluice/pki")
      ->envname("SLUICE_TLS_DIR")
      ->take_last();
  app.add_flag("--insecure", flags.insecure, "no TLS; only to a gateway on this machine");
  app.add_option("--output", flags.output, "table, or json for scripts; default table")
      ->check(CLI::IsMember({"table", "json"}))
      ->take_last();
  app.add_option("--timeout", flags.timeout, "of each call; default 10s")->take_last();
}

void AddCommands(CLI::App& app, Invocation& invocation) {
  AddPkiCommands(app, invocation);
  AddSessionCommands(app, invocation);
  AddSessionWatch(*app.get_subcommand("session"), invocation);
  AddLegCommands(app, invocation);
  AddStatsCommands(app, invocation);
  AddEventCommands(app, invocation);
  AddTokenCommands(app, invocation);
  AddSignalCommands(app, invocation);
  AddDemoCommands(app, invocation);
  app.footer(
      "Examples:\n"
      "  sluicectl pki init\n"
      "  sluicectl session create call-1\n"
      "  sluicectl leg add call-1 bob --kind rtp --remote 192.0.2.7:4000\n"
      "  sluicectl stats call-1\n"
      "  sluicectl demo --seconds 10\n"
      "\n"
      "Every command has its own --help. Exit codes: 0 done, 1 refused or failed, 2 wrong usage.");
}

// What CLI11 has to say about a command line that it did not like, or that asked for help.
int Explain(const CLI::App& app, const CLI::ParseError& error, Console& console) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    std::ostringstream help, ignored;
    app.exit(error, help, ignored);
    console.Say(help.str());
    return static_cast<int>(ExitCode::kOk);
  }
  std::string path = "sluicectl";
  for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
    at = at->get_subcommands().front();
    absl::StrAppend(&path, " ", at->get_name());
  }
  // CLI11 misses a command before it looks at the word that was meant to be one.
  const std::vector<std::string> unknown = app.remaining(/*recurse=*/true);
  console.Complain(absl::StrCat(error.get_name() == "RequiredError" && !unknown.empty()
                                    ? absl::StrCat("'", unknown.front(), "' is not known here")
                                    : std::string(error.what()),
                                "; see ", path, " --help"));
  return static_cast<int>(ExitCode::kUsage);
}

int Finish(const Outcome& outcome, Console& console) {
  if (outcome.code != ExitCode::kOk) console.Complain(outcome.message);
  return static_cast<int>(outcome.code);
}

}  // namespace

int RunSluicectl(const std::vector<std::string>& arguments, Console& console) {
  CLI::App app("Tells a Sluice gateway what to do, over its control API.", "sluicectl");
  app.require_subcommand(1);
  // So that global options may also stand behind the command.
  app.fallthrough();
  GlobalFlags flags;
  Invocation invocation;
  AddGlobalFlags(app, flags);
  AddCommands(app, invocation);
  try {
    // CLI11 takes them from the end.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    return Explain(app, error, console);
  }
  const absl::StatusOr<absl::Duration> timeout = ParseDuration(flags.timeout);
  if (!timeout.ok()) {
    return Finish(Outcome::Usage(absl::InvalidArgumentError(
                      absl::StrCat("--timeout: ", timeout.status().message()))),
                  console);
  }
  console.set_format(flags.output == "json" ? OutputFormat::kJson : OutputFormat::kTable);
  return Finish(invocation.command(console, {.address = flags.gateway,
                                             .tls_dir = flags.tls_dir,
                                             .insecure = flags.insecure,
                                             .timeout = *timeout}),
                console);
}

}  // namespace sluice
