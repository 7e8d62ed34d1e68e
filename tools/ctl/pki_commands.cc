#include "tools/ctl/pki_commands.h"

#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tools/ctl/pki/pki_folder.h"

namespace sluice {
namespace {

// Ten years. Longer is what people choose to forget about certificates.
constexpr int kDaysMax = 3650;

struct Flags {
  std::string folder;
  std::vector<std::string> hosts;
  int days = 365;
  bool force = false;
};

// `connection` may name the folder too: --tls-dir is where the other commands will look.
Outcome Init(const Flags& flags, Console& console, const ConnectionOptions& connection) {
  for (const std::string& host : flags.hosts) {
    const absl::Status status = CheckCertificateHost(host);
    if (!status.ok()) {
      return Outcome::Usage(absl::InvalidArgumentError(absl::StrCat("--host: ", status.message())));
    }
  }
  std::string folder = flags.folder.empty() ? connection.tls_dir : flags.folder;
  if (folder.empty()) {
    absl::StatusOr<std::string> default_folder = DefaultPkiFolder();
    if (!default_folder.ok()) return Outcome::Failed(default_folder.status());
    folder = *std::move(default_folder);
  }
  const auto paths = InitPkiFolder({.folder = folder,
                                    .hosts = flags.hosts,
                                    .validity = {absl::Now(), flags.days},
                                    .force = flags.force});
  if (!paths.ok()) return Outcome::Failed(paths.status());
  std::string text;
  for (const std::string& path : *paths) absl::StrAppend(&text, "wrote ", path, "\n");
  absl::StrAppend(&text, "valid for ", flags.days, " days. Give server.crt, server.key and ca.crt ",
                  "to the gateway, client.crt, client.key and ca.crt to controllers;\n",
                  "whoever has ca.key can make more of both, so keep it or delete it.\n");
  console.Say(text);
  return Outcome::Ok();
}

}  // namespace

void AddPkiCommands(CLI::App& app, Invocation& invocation) {
  CLI::App& pki = *app.add_subcommand("pki", "Certificates for the gateway and its controllers");
  pki.require_subcommand(1);
  auto flags = std::make_shared<Flags>();
  CLI::App& init =
      *pki.add_subcommand("init", "Make an authority, a server and a client certificate");
  init.add_option("--dir", flags->folder, "folder to write to; default: that of --tls-dir");
  init.add_option("--host", flags->hosts,
                  "name or IP address of the gateway, beside localhost, 127.0.0.1 and ::1; "
                  "may be repeated")
      ->expected(1)
      ->take_all();
  init.add_option("--days", flags->days, "how long they are valid; default 365")
      ->check(CLI::Range(1, kDaysMax));
  init.add_flag("--force", flags->force, "replace what is there");
  init.callback([&invocation, flags] {
    invocation.command = [flags](Console& console, const ConnectionOptions& connection) {
      return Init(*flags, console, connection);
    };
  });
  init.footer("Example:\n  sluicectl pki init --host gw1.example.com --host 192.0.2.10");
}

}  // namespace sluice
