// udp_proxy: stands between clients and a server that speak UDP and is as bad a network as it is
// told to be. Prints where to send as one line of JSON, and what became of the datagrams as another
// when it ends.

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/data_rate.h"
#include "base/data_size.h"
#include "base/time_delta.h"
#include "quic/io/monotonic_clock.h"
#include "tests/e2e/deadline.h"
#include "tools/ctl/stop_signal.h"
#include "tools/load/impaired_path.h"
#include "tools/load/udp_address_text.h"
#include "tools/load/udp_proxy.h"

namespace sluice {
namespace {

constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;
// Longer is a mistake.
constexpr absl::Duration kLongest = absl::Hours(24);

constexpr char kExamples[] = R"(Examples:
  2 % lost each way, never more than 3 in a row, 30 ms there and 30 ms back:
    udp_proxy --server 127.0.0.1:4433 --loss 2 --burst 3 --delay 30ms
  A slow link that is gone for 2 s of every 7 s:
    udp_proxy --server 127.0.0.1:4433 --rate-kbps 1000 --hole 2s --hole-every 7s
  A NAT that forgets its clients each 5 s, and what it lets through as a file:
    udp_proxy --server 127.0.0.1:4433 --rebind port --rebind-every 5s --pcap a.pcap

The first line says which port clients are to send to: {"port": 40001}. The last one, on SIGTERM,
Ctrl-C or after the duration, what became of the datagrams.
)";

// Durations as text, "" for not given.
struct Flags {
  std::string listen = "127.0.0.1:0";
  std::string server;
  double loss = 0;
  double corrupt = 0;
  // By direction, instead of the two above.
  std::optional<double> loss_of[2];
  std::optional<double> corrupt_of[2];
  uint32_t burst = 0;
  double duplicate = 0;
  double reorder = 0;
  std::string reorder_by;
  std::string delay;
  std::string jitter;
  int64_t rate_kbps = 0;
  int64_t queue_bytes = 64 * 1500;
  std::string hole;
  std::string hole_every;
  uint64_t drop_from = 0;
  uint64_t drop_to = 0;
  std::string rebind;
  std::string rebind_after;
  std::string rebind_every;
  std::string pcap;
  uint64_t seed = 1;
  std::string duration;
};

void DefineLosses(CLI::App& app, Flags& flags) {
  const CLI::Range percent(0.0, 100.0);
  const auto add = [&](const char* name, auto& value, const char* what) {
    app.add_option(name, value, what)->type_name("PERCENT")->check(percent);
  };
  add("--loss", flags.loss, "How much is lost, each way; default 0");
  add("--loss-to-server", flags.loss_of[kToServer], "Of what clients send, instead of --loss");
  add("--loss-to-client", flags.loss_of[kToClient], "Of what the server sends, instead of --loss");
  add("--corrupt", flags.corrupt, "How much arrives with a byte changed, each way; default 0");
  add("--corrupt-to-server", flags.corrupt_of[kToServer], "Of what clients send");
  add("--corrupt-to-client", flags.corrupt_of[kToClient], "Of what the server sends");
  app.add_option("--burst", flags.burst,
                 "Never more than so many lost, or changed, in a row; default: no bound")
      ->type_name("N");
  add("--duplicate", flags.duplicate, "How much arrives twice, each way; default 0");
  add("--reorder", flags.reorder, "How much is overtaken by others, each way; default 0");
  app.add_option("--reorder-by", flags.reorder_by, "How late that is; default 5ms")
      ->type_name("DURATION");
  app.add_option("--drop-from", flags.drop_from,
                 "Loses a client's datagrams from this one on, 1 being its first, ...")
      ->type_name("N");
  app.add_option("--drop-to", flags.drop_to, "... up to this one")->type_name("N");
}

void DefineFlags(CLI::App& app, Flags& flags) {
  app.name("udp_proxy");
  app.description("Forwards UDP between clients and a server as a bad network does.");
  app.footer(kExamples);
  app.add_option("--listen", flags.listen, "Where clients send to; default 127.0.0.1:0")
      ->type_name("ADDR:PORT");
  app.add_option("--server", flags.server, "Where the server listens")
      ->type_name("ADDR:PORT")
      ->required();
  DefineLosses(app, flags);
  app.add_option("--delay", flags.delay, "On the way, in one direction")->type_name("DURATION");
  app.add_option("--jitter", flags.jitter, "Up to how much longer, by chance")
      ->type_name("DURATION");
  app.add_option("--rate-kbps", flags.rate_kbps, "What the path carries each way; default: all")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--queue-bytes", flags.queue_bytes, "What may wait for it; default 96000")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--hole", flags.hole, "For how long everything is lost ...")
      ->type_name("DURATION");
  app.add_option("--hole-every", flags.hole_every, "... at the end of each such period")
      ->type_name("DURATION");
  app.add_option("--rebind", flags.rebind, "The server sees clients move: port or address")
      ->type_name("WHAT")
      ->check(CLI::IsMember({"port", "address"}));
  app.add_option("--rebind-after", flags.rebind_after, "After the first datagram; default 1s")
      ->type_name("DURATION");
  app.add_option("--rebind-every", flags.rebind_every, "And again; default: once")
      ->type_name("DURATION");
  app.add_option("--pcap", flags.pcap, "Writes what the server's side sees")->type_name("FILE");
  app.add_option("--seed", flags.seed, "The same seed, the same misfortunes; default 1")
      ->type_name("N");
  app.add_option("--duration", flags.duration, "Ends by itself after this, as in 30s or 500ms")
      ->type_name("DURATION");
}

absl::StatusOr<TimeDelta> ParseSpan(const std::string& text, TimeDelta otherwise) {
  if (text.empty()) return otherwise;
  absl::Duration span;
  if (!absl::ParseDuration(text, &span) || span < absl::ZeroDuration() || span > kLongest) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", text, "\" is no duration such as 30s, or longer than a day"));
  }
  return TimeDelta::Micros(absl::ToInt64Microseconds(span));
}

uint32_t PerMillion(double percent) { return static_cast<uint32_t>(std::lround(percent * 10'000)); }

// All spans at once; the first that is none of it stops.
absl::Status ReadSpans(const Flags& flags, Impairments& impairments, UdpProxyOptions& options) {
  const struct {
    const std::string& text;
    TimeDelta& span;
  } kSpans[] = {
      {flags.reorder_by, impairments.reordered_by}, {flags.delay, impairments.delay},
      {flags.jitter, impairments.jitter},           {flags.hole, impairments.hole},
      {flags.hole_every, impairments.hole_every},   {flags.rebind_after, options.rebind_after},
      {flags.rebind_every, options.rebind_every}};
  for (const auto& [text, span] : kSpans) {
    const absl::StatusOr<TimeDelta> parsed = ParseSpan(text, span);
    if (!parsed.ok()) return parsed.status();
    span = *parsed;
  }
  if (impairments.hole > impairments.hole_every) {
    return absl::InvalidArgumentError("--hole is longer than --hole-every");
  }
  if (!impairments.hole.IsZero() && !impairments.hole_every.IsFinite()) {
    return absl::InvalidArgumentError("--hole needs --hole-every");
  }
  if (options.rebind_every.IsZero()) {
    return absl::InvalidArgumentError("--rebind-every is zero");
  }
  return absl::OkStatus();
}

absl::StatusOr<UdpProxyOptions> ToOptions(const Flags& flags) {
  UdpProxyOptions options;
  const absl::StatusOr<UdpAddress> address = ParseUdpAddress(flags.listen);
  if (!address.ok()) return address.status();
  const absl::StatusOr<UdpAddress> server = ParseUdpAddress(flags.server);
  if (!server.ok()) return server.status();
  options.address = *address;
  options.server = *server;
  Impairments both{.max_burst = flags.burst,
                   .duplicated_per_million = PerMillion(flags.duplicate),
                   .reordered_per_million = PerMillion(flags.reorder),
                   .queue = DataSize::Bytes(flags.queue_bytes)};
  if (flags.rate_kbps > 0) both.rate = DataRate::KilobitsPerSec(flags.rate_kbps);
  const absl::Status spans = ReadSpans(flags, both, options);
  if (!spans.ok()) return spans;
  for (size_t direction : {kToServer, kToClient}) {
    Impairments& impairments = options.impairments[direction];
    impairments = both;
    impairments.lost_per_million = PerMillion(flags.loss_of[direction].value_or(flags.loss));
    impairments.corrupted_per_million =
        PerMillion(flags.corrupt_of[direction].value_or(flags.corrupt));
  }
  options.impairments[kToServer].dropped_from = flags.drop_from;
  options.impairments[kToServer].dropped_to = flags.drop_to;
  if (!flags.rebind.empty()) {
    options.rebinding = flags.rebind == "port" ? Rebinding::kPort : Rebinding::kAddress;
  }
  options.seed = flags.seed;
  options.pcap_path = flags.pcap;
  return options;
}

int Fail(const absl::Status& status, int exit_code) {
  std::cerr << "udp_proxy: " << status.message() << '\n';
  return exit_code;
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
  // In place before anybody can know of us.
  const StopSignal stop;
  const absl::StatusOr<UdpProxyOptions> options = ToOptions(flags);
  if (!options.ok()) return Fail(options.status(), kExitUsage);
  std::optional<Deadline> deadline;
  if (!flags.duration.empty()) {
    const absl::StatusOr<TimeDelta> duration = ParseSpan(flags.duration, TimeDelta::Zero());
    if (!duration.ok()) return Fail(duration.status(), kExitUsage);
    deadline = Deadline::After(std::chrono::milliseconds(duration->ms()));
  }
  const absl::StatusOr<std::unique_ptr<UdpProxy>> proxy = UdpProxy::Open(*options, MonotonicNow());
  if (!proxy.ok()) return Fail(proxy.status(), kExitFailure);
  std::cout << (*proxy)->AddressJson() << std::endl;
  (*proxy)->Run(stop.fd(), deadline);
  std::cout << (*proxy)->CountersJson() << std::endl;
  return 0;
}

}  // namespace
}  // namespace sluice

int main(int argc, char** argv) { return sluice::Main(argc, argv); }
