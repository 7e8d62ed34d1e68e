// quic_test_server: the QUIC server of this repository for clients to be tried against, with
// transfers over HTTP/3 and an echo over sluice/1. Prints its port as one line of JSON, and what it
// counted as another when it ends.

#include <signal.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/time_delta.h"
#include "quic/server/endpoint_verdict.h"
#include "tests/interop/quic/quic_test_server.h"
#include "tools/load/udp_address_text.h"

namespace sluice {
namespace {

constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;
// What clients that are here may still get after the end.
constexpr TimeDelta kDrain = TimeDelta::Seconds(1);

constexpr char kExamples[] = R"(Examples:
  A server whose traffic Wireshark can read, and a client of it:
    quic_test_server --listen 127.0.0.1:4433 --key-log keys.txt
    gtlsclient --exit-on-all-streams-close 127.0.0.1 4433 https://localhost:4433/bytes/1000
  One that must be shown a Retry token, and takes 0-RTT and version 2:
    quic_test_server --retry --early-data --version2

GET /bytes/N, POST /echo and GET /healthz are answered over h3, every call over sluice/1.
)";

struct Flags {
  std::string listen = "127.0.0.1:0";
  std::string idle = "30s";
  std::string root_file;
  std::string page_file;
  QuicTestServerOptions options;
};

void DefineFlags(CLI::App& app, Flags& flags) {
  app.name("quic_test_server");
  app.description("Serves transfers over HTTP/3 and an echo over sluice/1.");
  app.footer(kExamples);
  app.add_option("--listen", flags.listen, "Where; default 127.0.0.1:0")->type_name("ADDR:PORT");
  app.add_flag("--retry", flags.options.retry_always, "Everybody must show a Retry token");
  app.add_flag("--version2", flags.options.version2, "QUIC version 2 is spoken too");
  app.add_flag("--early-data", flags.options.early_data, "0-RTT is taken");
  app.add_option("--idle-timeout", flags.idle, "Of connections of h3; default 30s")
      ->type_name("DURATION");
  app.add_option("--name", flags.options.dns_name, "Of the certificate; default localhost")
      ->type_name("NAME");
  app.add_option("--root", flags.root_file, "Writes what clients are to trust")->type_name("FILE");
  app.add_option("--page", flags.page_file, "HTML for GET /")->type_name("FILE");
  app.add_option("--key-log", flags.options.key_log_path, "In the format of SSLKEYLOGFILE")
      ->type_name("FILE");
}

int Fail(const absl::Status& status, int exit_code) {
  std::cerr << "quic_test_server: " << status.message() << '\n';
  return exit_code;
}

std::string FileText(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void PrintCounters(const QuicTestServer& server) {
  const ListenerCounters counters = server.listener_counters();
  std::cout << "{";
  for (size_t i = 0; i < kEndpointVerdictCount; ++i) {
    std::cout << '"' << EndpointVerdictName(static_cast<EndpointVerdict>(i))
              << "\": " << counters.verdicts[i] << ", ";
  }
  std::cout << "\"requests\": " << server.transfers().requests()
            << ", \"early_requests\": " << server.transfers().early_requests()
            << ", \"resumed\": " << server.resumed() << "}" << std::endl;
}

int Main(int argc, char** argv) {
  Flags flags;
  CLI::App app;
  DefineFlags(app, flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  // Before there is another thread that could get one.
  sigset_t stops;
  sigemptyset(&stops);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&stops, signal);
  pthread_sigmask(SIG_BLOCK, &stops, nullptr);
  const absl::StatusOr<UdpAddress> address = ParseUdpAddress(flags.listen);
  if (!address.ok()) return Fail(address.status(), kExitUsage);
  flags.options.address = *address;
  absl::Duration idle;
  if (!absl::ParseDuration(flags.idle, &idle) || idle <= absl::ZeroDuration()) {
    return Fail(absl::InvalidArgumentError("--idle-timeout is no duration such as 30s"),
                kExitUsage);
  }
  flags.options.idle_timeout = TimeDelta::Millis(absl::ToInt64Milliseconds(idle));
  if (!flags.page_file.empty()) flags.options.page = FileText(flags.page_file);
  const absl::StatusOr<std::unique_ptr<QuicTestServer>> server =
      QuicTestServer::Start(flags.options);
  if (!server.ok()) return Fail(server.status(), kExitFailure);
  if (!flags.root_file.empty()) std::ofstream(flags.root_file) << (*server)->root_certificate();
  std::cout << "{\"port\": " << (*server)->address().port() << "}" << std::endl;
  int signal = 0;
  sigwait(&stops, &signal);
  (*server)->Stop(kDrain);
  PrintCounters(**server);
  return 0;
}

}  // namespace
}  // namespace sluice

int main(int argc, char** argv) { return sluice::Main(argc, argv); }
