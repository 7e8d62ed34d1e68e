// sluice_gateway: flags, configuration, one gateway, signals. Everything that goes wrong before it
// serves is one sentence on stderr; exit code 1, or 2 where the command line itself is wrong.

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/log_severity.h"
#include "absl/log/globals.h"
#include "absl/log/initialize.h"
#include "absl/log/log.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gateway/config/config.h"
#include "gateway/config/config_loader.h"
#include "gateway/control/control_server.h"
#include "gateway/gateway.h"
#include "gateway/net/transport_address.h"
#include "gateway/quic/certificate_watch.h"
#include "gateway/ready_file.h"
#include "srtp/crypto/cpu_features.h"
#include "srtp/crypto/engine_choice.h"

namespace sluice {
namespace {

constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;
// As shells say of a process that a signal ended.
constexpr int kExitSignal = 128;

// Longer than any control call takes; a controller that does not listen is not waited for.
constexpr absl::Duration kStopPatience = absl::Seconds(5);

// A terminal and the program that runs us may both pass one request on; timeout(1) sends its signal
// to the process and again to its group.
constexpr absl::Duration kSameRequest = absl::Milliseconds(300);

constexpr char kExamples[] = R"(Examples:
  Try it out on this machine, without certificates:
    sluice_gateway --insecure
  With certificates that `sluicectl pki init --dir pki` made:
    sluice_gateway --tls-dir pki --listen 192.0.2.1:7443 --media-ipv4 192.0.2.1
  Behind NAT:
    sluice_gateway --tls-dir pki --media-ipv4 0.0.0.0 --advertised-ipv4 198.51.100.7
  With participants over QUIC, for which the firewall has to let UDP through:
    sluice_gateway --tls-dir pki --media-ipv4 192.0.2.1 --quic-listen 192.0.2.1:7444
  From a script, on any free port:
    sluice_gateway --insecure --listen 127.0.0.1:0 --ready-file ready.txt
)";

struct Flags {
  ConfigFlags config;
  std::optional<std::string> ready_file;
};

void DefineQuicFlags(CLI::App& app, ConfigFlags& config) {
  app.add_option("--quic-listen", config.quic_listen,
                 "Where participants connect over QUIC (UDP), port 0 for any; default nowhere")
      ->type_name("ADDR:PORT");
  app.add_option(
         "--quic-tls-dir", config.quic_tls_dir,
         "Folder with server.crt and server.key for QUIC; default: those of the other ports")
      ->type_name("DIR");
  app.add_option("--quic-secret-file", config.quic_secret_file,
                 "64 hex digits, so that clients notice a restart at once; default: random")
      ->type_name("FILE");
  app.add_option("--quic-retry", config.quic_retry,
                 "auto (the default: when many clients come) or always; who must prove its address")
      ->type_name("WHEN");
  app.add_flag("--quic-early-data", config.quic_early_data,
               "Clients that come back may send a ping with their first packet (0-RTT)");
  app.add_option(
         "--quic-key-log", config.quic_key_log,
         "Where keys of QUIC connections are written (SSLKEYLOGFILE): whoever reads it reads "
         "all that is said; default nowhere")
      ->type_name("FILE");
  app.add_option(
         "--signalling-allow-origin", config.signalling_allow_origins,
         "Web pages that may call over HTTP/3, such as https://app.example; may be repeated")
      ->type_name("ORIGIN");
}

void DefineFlags(CLI::App& app, Flags& flags) {
  app.name("sluice_gateway");
  app.description("Carries encrypted real-time media between the legs of a session.");
  app.footer(kExamples);
  app.set_version_flag("--version", "sluice_gateway " + std::string(kGatewayVersion));
  ConfigFlags& config = flags.config;
  app.add_option("--config", config.config,
                 "Configuration file (protobuf text, proto/config/v1/config.proto); flags win")
      ->type_name("FILE");
  app.add_option("--listen", config.listen,
                 "Where controllers connect, port 0 for any; default 127.0.0.1:7443")
      ->type_name("ADDR:PORT");
  app.add_option("--tls-dir", config.tls_dir, "Folder with server.crt, server.key and ca.crt")
      ->type_name("DIR");
  app.add_flag("--insecure", config.insecure,
               "No TLS: whoever is on this machine controls the gateway; loopback only");
  app.add_option("--signalling-listen", config.signalling_listen,
                 "Where participants connect with their tokens, port 0 for any; default nowhere")
      ->type_name("ADDR:PORT");
  app.add_option("--token-key-file", config.token_key_file,
                 "Keys of participants' tokens; default: random at each start")
      ->type_name("FILE");
  DefineQuicFlags(app, config);
  app.add_option("--media-ports", config.media_ports, "UDP ports for media; default 30000-39999")
      ->type_name("A-B");
  app.add_option("--media-ipv4", config.media_ipv4,
                 "IPv4 address to receive media at; default 127.0.0.1")
      ->type_name("ADDR");
  app.add_option("--media-ipv6", config.media_ipv6, "IPv6 address to receive media at")
      ->type_name("ADDR");
  app.add_option("--advertised-ipv4", config.advertised_ipv4,
                 "What peers are told instead of --media-ipv4")
      ->type_name("ADDR");
  app.add_option("--advertised-ipv6", config.advertised_ipv6,
                 "What peers are told instead of --media-ipv6")
      ->type_name("ADDR");
  app.add_option("--packet-log-folder", config.packet_log_folder,
                 "Where decrypted packets of legs are written that ask for it; default nowhere")
      ->type_name("DIR");
  app.add_option("--workers", config.workers, "Media threads; default one per core")
      ->type_name("N");
  app.add_option("--log-level", config.log_level, "info (the default), warning or error")
      ->type_name("LEVEL");
  app.add_option("--crypto-engine", config.crypto_engine,
                 "auto (the default), boringssl or ipsec_mb; what does the arithmetic of SRTP")
      ->type_name("ENGINE");
  app.add_option("--ready-file", flags.ready_file,
                 "Written with the address for controllers once it is served, and a line \"quic "
                 "ADDR:PORT\" behind it if there is one; removed at the end")
      ->type_name("FILE");
}

int Fail(absl::string_view sentence, int exit_code) {
  std::cerr << "sluice_gateway: " << sentence << '\n';
  return exit_code;
}

void StartLog(LogLevel level) {
  absl::InitializeLog();
  absl::SetStderrThreshold(absl::LogSeverityAtLeast::kInfo);
  switch (level) {
    case LogLevel::kInfo:
      absl::SetMinLogLevel(absl::LogSeverityAtLeast::kInfo);
      break;
    case LogLevel::kWarning:
      absl::SetMinLogLevel(absl::LogSeverityAtLeast::kWarning);
      break;
    case LogLevel::kError:
      absl::SetMinLogLevel(absl::LogSeverityAtLeast::kError);
      break;
  }
}

std::string Describe(const std::optional<TransportAddress>& address) {
  return address.has_value() ? address->ToString() : "off";
}

sigset_t StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

// Those, and the one that has certificates read again. Blocked in every thread that is started from
// now on, so that main alone hears of them.
sigset_t BlockSignals() {
  sigset_t signals = StopSignals();
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // A controller that goes away while it is written to is an error code, not a reason to die.
  signal(SIGPIPE, SIG_IGN);
  return signals;
}

int WaitForSignal(const sigset_t& signals) {
  int signal_number = 0;
  while (sigwait(&signals, &signal_number) != 0) {
  }
  return signal_number;
}

// Which signal stops it. Meanwhile certificates are looked after.
int ServeUntilStopped(const sigset_t& signals, Gateway& gateway) {
  const timespec interval = absl::ToTimespec(CertificateWatch::kInterval);
  while (true) {
    const int signal_number = sigtimedwait(&signals, nullptr, &interval);
    if (signal_number == SIGHUP) {
      gateway.ReloadCertificates();
    } else if (signal_number > 0) {
      return signal_number;
    } else if (errno == EAGAIN) {
      gateway.CheckCertificates();
    }
  }
}

// Who asks twice does not want to wait.
[[noreturn]] void ExitAtNextSignal(const sigset_t& signals) {
  const absl::Time first = absl::Now();
  int signal_number = WaitForSignal(signals);
  while (absl::Now() - first < kSameRequest) {
    signal_number = WaitForSignal(signals);
  }
  _exit(kExitSignal + signal_number);
}

// A machine may have less left than it has, and less than a process may take of it; the C++ library
// tells by throwing.
absl::StatusOr<std::unique_ptr<Gateway>> CreateGateway(const Config& config) {
  try {
    return Gateway::Create(config);
  } catch (const std::exception& error) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the memory or the threads that the limits ask for are not to be had (",
                     error.what(), "): lower limits.sessions and the other limits, or --workers"));
  }
}

int Serve(const Config& config, const std::optional<std::string>& ready_path) {
  const sigset_t signals = BlockSignals();
  std::optional<ReadyFile> ready;
  if (ready_path.has_value()) {
    ready.emplace(*ready_path);
  }
  SetGrpcLogQuiet(true);
  absl::StatusOr<std::unique_ptr<Gateway>> gateway = CreateGateway(config);
  if (!gateway.ok()) {
    return Fail(gateway.status().message(), kExitFailure);
  }
  SetGrpcLogQuiet(false);
  // Whatever the log level.
  if (!config.tls.has_value()) {
    std::cerr
        << "sluice_gateway: warning: no TLS, every user of this machine controls the gateway\n";
  }
  if (config.quic.has_value() && !config.quic->key_log_file.empty()) {
    std::cerr << "sluice_gateway: warning: keys of QUIC are written to "
              << config.quic->key_log_file << ", whoever reads them reads all that is said\n";
  }
  const std::string address = (*gateway)->control_address().ToString();
  LOG(INFO) << "gateway started version=" << kGatewayVersion << " control=" << address
            << " tls=" << (config.tls.has_value() ? "on" : "off")
            << " signalling=" << Describe((*gateway)->signalling_address())
            << " quic=" << Describe((*gateway)->quic_address()) << " workers=" << config.workers
            << " media_ports=" << config.media.first_port << "-" << config.media.last_port
            << " crypto_engine=" << EngineName((*gateway)->crypto_engine())
            << " cpu=" << absl::StrReplaceAll(CpuFeatureNames(DetectCpuFeatures()), {{" ", ","}});
  if (ready.has_value()) {
    std::vector<std::string> lines = {address};
    if ((*gateway)->quic_address().has_value()) {
      lines.push_back(absl::StrCat("quic ", Describe((*gateway)->quic_address())));
    }
    const absl::Status status = ready->Write(lines);
    if (!status.ok()) {
      return Fail(status.message(), kExitFailure);
    }
  }
  const int signal_number = ServeUntilStopped(signals, **gateway);
  LOG(INFO) << "gateway stopping signal=" << signal_number;
  std::thread([] { ExitAtNextSignal(StopSignals()); }).detach();
  (*gateway)->Stop(kStopPatience);
  LOG(INFO) << "gateway stopped";
  return 0;
}

int Main(int argc, char** argv) {
  CLI::App app;
  Flags flags;
  DefineFlags(app, flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // --help and --version come here too.
    return error.get_exit_code() == 0
               ? app.exit(error)
               : Fail(std::string(error.what()) + "; see --help", kExitUsage);
  }
  const unsigned cores = std::max(std::thread::hardware_concurrency(), 1u);
  const absl::StatusOr<Config> config = LoadConfig(flags.config, cores);
  if (!config.ok()) {
    return Fail(config.status().message(), kExitFailure);
  }
  StartLog(config->log_level);
  return Serve(*config, flags.ready_file);
}

}  // namespace
}  // namespace sluice

int main(int argc, char** argv) { return sluice::Main(argc, argv); }
