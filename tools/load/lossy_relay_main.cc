// lossy_relay: stands between two ends of a call and loses some of their packets. Prints where to
// send as one line of JSON, and what became of the packets as another when it ends.

#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "gateway/net/transport_address.h"
#include "tests/e2e/deadline.h"
#include "tools/ctl/stop_signal.h"
#include "tools/load/lossy_relay.h"

namespace sluice {
namespace {

constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;

constexpr char kExamples[] = R"(Examples:
  Between two gateways, 5 % of RTP lost each way, for a minute:
    lossy_relay --a 127.0.0.1:30000 --b 127.0.0.1:40000 --loss 5 --duration 60s
  Between whoever sends first to each port, RTCP apart and lost as well:
    lossy_relay --rtcp-ports --loss 2.5 --lose-rtcp --seed 7

The first line says which port each end is to send to: {"a": 40001, "b": 40002}. The
last one, on SIGTERM, Ctrl-C or after the duration, what was forwarded and dropped.
)";

struct Flags {
  std::string ip = "127.0.0.1";
  // RTP of A and B, RTCP of A and B.
  std::string ends[4];
  bool rtcp_ports = false;
  double loss = 0;
  // By the end that the direction comes from.
  std::optional<double> loss_from[2];
  bool lose_rtcp = false;
  uint64_t seed = 1;
  std::string duration;
};

void DefineFlags(CLI::App& app, Flags& flags) {
  app.name("lossy_relay");
  app.description("Forwards UDP between two ends of a call, A and B, and loses some of it.");
  app.footer(kExamples);
  app.add_option("--ip", flags.ip, "Address to receive at, IPv4 or IPv6; default 127.0.0.1")
      ->type_name("ADDR");
  constexpr const char* kNames[] = {"--a", "--b", "--a-rtcp", "--b-rtcp"};
  for (size_t i = 0; i < std::size(kNames); ++i) {
    app.add_option(kNames[i], flags.ends[i],
                   "Where this end receives; default: where its first datagram comes from")
        ->type_name("ADDR:PORT");
  }
  app.add_flag("--rtcp-ports", flags.rtcp_ports,
               "RTCP has ports of its own; --a-rtcp and --b-rtcp say so too");
  const CLI::Range percent(0.0, 100.0);
  app.add_option("--loss", flags.loss, "How much RTP is lost, both ways; default 0")
      ->type_name("PERCENT")
      ->check(percent);
  app.add_option("--loss-a-to-b", flags.loss_from[0], "Of what A sends, instead of --loss")
      ->type_name("PERCENT")
      ->check(percent);
  app.add_option("--loss-b-to-a", flags.loss_from[1], "Of what B sends, instead of --loss")
      ->type_name("PERCENT")
      ->check(percent);
  app.add_flag("--lose-rtcp", flags.lose_rtcp, "RTCP is lost as RTP is");
  app.add_option("--seed", flags.seed, "The same seed loses the same packets; default 1")
      ->type_name("N");
  app.add_option("--duration", flags.duration, "Ends by itself after this, as in 30s or 500ms")
      ->type_name("DURATION");
}

// "192.0.2.1:5004" or "[2001:db8::1]:5004".
absl::StatusOr<TransportAddress> ParseEnd(absl::string_view text) {
  const absl::Status bad = absl::InvalidArgumentError(
      absl::StrCat("\"", text, "\" is no address and port such as 127.0.0.1:5004 or [::1]:5004"));
  const size_t colon = text.rfind(':');
  if (colon == absl::string_view::npos) return bad;
  absl::string_view ip = text.substr(0, colon);
  const bool bracketed = absl::ConsumePrefix(&ip, "[") && absl::ConsumeSuffix(&ip, "]");
  const absl::StatusOr<IpAddress> address = IpAddress::Parse(ip);
  uint32_t port = 0;
  if (!address.ok() || bracketed != (address->family() == IpFamily::kIpv6) ||
      !absl::SimpleAtoi(text.substr(colon + 1), &port) || port < 1 || port > 65535) {
    return bad;
  }
  return TransportAddress{*address, static_cast<uint16_t>(port)};
}

absl::StatusOr<LossyRelayOptions> ToOptions(const Flags& flags) {
  LossyRelayOptions options;
  const absl::StatusOr<IpAddress> ip = IpAddress::Parse(flags.ip);
  if (!ip.ok()) return ip.status();
  options.ip = *ip;
  options.rtcp_ports = flags.rtcp_ports || !flags.ends[2].empty() || !flags.ends[3].empty();
  for (size_t i = 0; i < std::size(flags.ends); ++i) {
    if (flags.ends[i].empty()) continue;
    const absl::StatusOr<TransportAddress> end = ParseEnd(flags.ends[i]);
    if (!end.ok()) return end.status();
    (i < 2 ? options.rtp_ends : options.rtcp_ends)[i % 2] = *end;
  }
  for (size_t from = 0; from < options.lost_per_million.size(); ++from) {
    options.lost_per_million[from] =
        static_cast<uint32_t>(std::lround(flags.loss_from[from].value_or(flags.loss) * 10'000));
  }
  options.lose_rtcp = flags.lose_rtcp;
  options.seed = flags.seed;
  return options;
}

absl::StatusOr<std::optional<Deadline>> ToDeadline(const Flags& flags) {
  if (flags.duration.empty()) return std::nullopt;
  absl::Duration duration;
  // A day: longer is a mistake.
  if (!absl::ParseDuration(flags.duration, &duration) || duration <= absl::ZeroDuration() ||
      duration > absl::Hours(24)) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", flags.duration, "\" is no duration such as 30s, or longer than a day"));
  }
  return Deadline::After(absl::ToChronoMilliseconds(duration));
}

int Fail(const absl::Status& status, int exit_code) {
  std::cerr << "lossy_relay: " << status.message() << '\n';
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
  const absl::StatusOr<LossyRelayOptions> options = ToOptions(flags);
  if (!options.ok()) return Fail(options.status(), kExitUsage);
  const absl::StatusOr<std::optional<Deadline>> deadline = ToDeadline(flags);
  if (!deadline.ok()) return Fail(deadline.status(), kExitUsage);
  absl::StatusOr<LossyRelay> relay = LossyRelay::Open(*options);
  if (!relay.ok()) return Fail(relay.status(), kExitFailure);
  std::cout << relay->AddressesJson() << std::endl;
  relay->Run(stop.fd(), *deadline);
  std::cout << relay->CountersJson() << std::endl;
  return 0;
}

}  // namespace
}  // namespace sluice

int main(int argc, char** argv) { return sluice::Main(argc, argv); }
