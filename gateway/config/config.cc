#include "gateway/config/config.h"

#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace sluice {
namespace {

// Below are the ports that only root may bind and that services are known by.
constexpr uint16_t kLowestMediaPort = 1024;

// Digits only: SimpleAtoi alone would take signs and blanks.
bool ParsePort(absl::string_view text, uint32_t& port) {
  return absl::c_all_of(text, absl::ascii_isdigit) && absl::SimpleAtoi(text, &port);
}

absl::Status Invalid(absl::string_view name, absl::string_view sentence) {
  return absl::InvalidArgumentError(absl::StrCat(name, ": ", sentence));
}

absl::Status CheckListen(const Config& config) {
  if (config.tls.has_value() || config.listen.ip.IsLoopback()) {
    return absl::OkStatus();
  }
  return Invalid(
      "control.listen (--listen)",
      absl::StrCat(config.listen.ToString(),
                   " is refused without TLS: whoever reaches the port controls all calls; "
                   "use a loopback address, or certificates (sluicectl pki init)"));
}

absl::Status CheckSignalling(const Config& config) {
  if (!config.signalling.has_value()) {
    return absl::OkStatus();
  }
  const SignallingConfig& signalling = *config.signalling;
  if (signalling.certificate.empty() != signalling.private_key.empty()) {
    return Invalid("signalling", "certificate_file and private_key_file belong together");
  }
  if (signalling.certificate.empty() && !signalling.listen.ip.IsLoopback()) {
    return Invalid("signalling.listen (--signalling-listen)",
                   absl::StrCat(signalling.listen.ToString(),
                                " is refused without TLS: whoever is on the way could take tokens; "
                                "use a loopback address, or certificates (sluicectl pki init)"));
  }
  return absl::OkStatus();
}

// As browsers write it (Fetch standard, section 3.1): a scheme, a host and a port, if not the usual
// one, in lower case.
bool IsOrigin(absl::string_view text) {
  if (!absl::ConsumePrefix(&text, "https://") && !absl::ConsumePrefix(&text, "http://")) {
    return false;
  }
  return !text.empty() && absl::c_all_of(text, [](unsigned char c) {
    return absl::ascii_islower(c) || absl::ascii_isdigit(c) || absl::StrContains(".-:[]_", c);
  });
}

absl::Status CheckQuic(const std::optional<QuicConfig>& quic) {
  if (!quic.has_value()) {
    return absl::OkStatus();
  }
  if (quic->certificate.empty() && quic->private_key.empty()) {
    return Invalid("quic.certificate_file (--quic-tls-dir)",
                   "is missing, and QUIC is never without TLS: make certificates with `sluicectl "
                   "pki init` and give their folder with --quic-tls-dir or --tls-dir");
  }
  if (quic->certificate.empty() != quic->private_key.empty()) {
    return Invalid("quic", "certificate_file and private_key_file belong together");
  }
  if (quic->listen.ip.IsMulticast()) {
    return Invalid("quic.listen (--quic-listen)",
                   absl::StrCat(quic->listen.ip.ToString(), " is not an address of one machine"));
  }
  constexpr absl::string_view kOrigins = "quic.allow_origins (--signalling-allow-origin)";
  if (quic->allow_origins.size() > kMaxAllowedOrigins) {
    return Invalid(kOrigins, absl::StrCat("has ", quic->allow_origins.size(), " origins, at most ",
                                          kMaxAllowedOrigins, " may be"));
  }
  for (const std::string& origin : quic->allow_origins) {
    if (!IsOrigin(origin)) {
      return Invalid(kOrigins, absl::StrCat("\"", origin,
                                            "\" is not an origin, such as https://app.example or "
                                            "http://localhost:8080"));
    }
  }
  return absl::OkStatus();
}

// Each port has threads of its own, and any of them may wait for the same worker.
absl::Status CheckMailbox(const Config& config) {
  const Limits& limits = config.limits;
  const size_t grpc_ports = config.signalling.has_value() ? 2 : 1;
  const size_t waiting =
      grpc_ports * limits.grpc_threads + (config.quic.has_value() ? limits.quic_threads : 0);
  if (limits.mailbox_commands >= waiting) {
    return absl::OkStatus();
  }
  return Invalid("limits.mailbox_commands",
                 absl::StrCat("is ", limits.mailbox_commands,
                              ", with participants it has to be at "
                              "least ",
                              waiting,
                              ", since so many threads (grpc_threads of each "
                              "port, quic_threads) may wait for the same worker"));
}

absl::Status CheckTls(const std::optional<TlsFiles>& tls) {
  if (!tls.has_value()) {
    return absl::OkStatus();
  }
  const std::pair<absl::string_view, const std::string&> files[] = {
      {"certificate_file", tls->certificate},
      {"private_key_file", tls->private_key},
      {"client_ca_file", tls->client_ca}};
  for (const auto& [name, path] : files) {
    if (path.empty()) {
      return Invalid(absl::StrCat("control.tls.", name),
                     "is missing; TLS needs certificate_file, private_key_file and client_ca_file");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckFamily(absl::string_view name, IpFamily family,
                         const std::optional<IpAddress>& bound,
                         const std::optional<IpAddress>& advertised) {
  const std::string flag = absl::StrCat("media.", name, " (--media-", name, ")");
  const std::string advertised_flag =
      absl::StrCat("media.advertised_", name, " (--advertised-", name, ")");
  if (bound.has_value() && (bound->family() != family || bound->IsMulticast())) {
    return Invalid(flag,
                   absl::StrCat(bound->ToString(), " is not an address to receive ", name, " at"));
  }
  if (!advertised.has_value()) {
    if (bound.has_value() && bound->IsUnspecified()) {
      return Invalid(flag, absl::StrCat("no peer can send to ", bound->ToString(), "; give ",
                                        advertised_flag, " what peers are to be told"));
    }
    return absl::OkStatus();
  }
  if (advertised->family() != family || advertised->IsMulticast() || advertised->IsUnspecified()) {
    return Invalid(advertised_flag,
                   absl::StrCat("no peer can send ", name, " to ", advertised->ToString()));
  }
  if (!bound.has_value()) {
    return Invalid(advertised_flag, absl::StrCat("needs ", flag, ", which is not set"));
  }
  return absl::OkStatus();
}

absl::Status CheckMedia(const MediaConfig& media) {
  const std::string range = absl::StrCat(
      "media.first_port and last_port (--media-ports): ", media.first_port, "-", media.last_port);
  if (media.first_port > media.last_port) {
    return absl::InvalidArgumentError(absl::StrCat(range, " is an empty range"));
  }
  if (media.first_port < kLowestMediaPort) {
    return absl::InvalidArgumentError(
        absl::StrCat(range, " reaches below ", kLowestMediaPort, ", where ports are reserved"));
  }
  if (media.PortPairs() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(range, " has no even port with the odd one above it, which a leg needs"));
  }
  if (!media.ipv4.has_value() && !media.ipv6.has_value()) {
    return Invalid("media.ipv4 and media.ipv6 (--media-ipv4, --media-ipv6)",
                   "neither is set, so there is nowhere to receive media");
  }
  absl::Status status = CheckFamily("ipv4", IpFamily::kIpv4, media.ipv4, media.advertised_ipv4);
  if (status.ok()) {
    status = CheckFamily("ipv6", IpFamily::kIpv6, media.ipv6, media.advertised_ipv6);
  }
  return status;
}

absl::Status CheckTimeout(absl::string_view name, TimeDelta value, TimeDelta max) {
  if (value >= kMinSessionTimeout && value <= max) {
    return absl::OkStatus();
  }
  return Invalid(absl::StrCat("session_defaults.", name),
                 absl::StrCat("is ", value, ", it has to be ", kMinSessionTimeout, " to ", max));
}

absl::Status CheckTimeouts(const TimeoutDefaults& timeouts) {
  const std::tuple<absl::string_view, TimeDelta, TimeDelta> rows[] = {
      {"idle_timeout", timeouts.idle, kMaxIdleTimeout},
      {"offer_timeout", timeouts.offer, kMaxOfferTimeout},
      {"absolute_timeout", timeouts.absolute, kMaxAbsoluteTimeout},
      {"hold_timeout", timeouts.hold, kMaxHoldTimeout}};
  for (const auto& [name, value, max] : rows) {
    absl::Status status = CheckTimeout(name, value, max);
    if (!status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace

size_t MediaConfig::PortPairs() const {
  const size_t first = (size_t{first_port} + 1) / 2;
  const size_t end = (size_t{last_port} + 1) / 2;
  return end > first ? end - first : 0;
}

size_t MediaConfig::AllPortPairs() const {
  return PortPairs() * ((ipv4.has_value() ? 1 : 0) + (ipv6.has_value() ? 1 : 0));
}

absl::Status CheckConfig(const Config& config) {
  if (config.workers < 1 || config.workers > kMaxWorkers) {
    return Invalid("workers (--workers)",
                   absl::StrCat("is ", config.workers, ", it has to be 1..", kMaxWorkers));
  }
  for (absl::Status status :
       {CheckTls(config.tls), CheckListen(config), CheckMedia(config.media),
        CheckTimeouts(config.session_defaults), CheckLimits(config.limits), CheckSignalling(config),
        CheckQuic(config.quic), CheckMailbox(config)}) {
    if (!status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<TransportAddress> ParseListenAddress(absl::string_view name,
                                                    absl::string_view text) {
  const absl::Status wrong = Invalid(
      name,
      absl::StrCat("\"", text,
                   "\" is not an IP address and a port, such as 127.0.0.1:7443 or [::1]:7443"));
  const size_t colon = text.rfind(':');
  if (colon == absl::string_view::npos) {
    return wrong;
  }
  absl::string_view host = text.substr(0, colon);
  const absl::string_view port_text = text.substr(colon + 1);
  const bool brackets = host.size() >= 2 && host.front() == '[' && host.back() == ']';
  if (brackets) {
    host = host.substr(1, host.size() - 2);
  }
  uint32_t port;
  const absl::StatusOr<IpAddress> ip = IpAddress::Parse(host);
  // Without brackets nobody could tell the port from the last group of an IPv6 address.
  if (!ip.ok() || brackets != absl::StrContains(host, ':') || !ParsePort(port_text, port) ||
      port > 65535) {
    return wrong;
  }
  return TransportAddress{*ip, static_cast<uint16_t>(port)};
}

absl::StatusOr<MediaPortRange> ParsePortRange(absl::string_view name, absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('-', 1));
  MediaPortRange range;
  if (!ParsePort(parts.first, range.first) || !ParsePort(parts.second, range.last)) {
    return Invalid(name,
                   absl::StrCat("\"", text, "\" is not a range of ports, such as 30000-39999"));
  }
  if (range.first > 65535 || range.last > 65535) {
    return Invalid(name, absl::StrCat("\"", text, "\" has a port above 65535"));
  }
  return range;
}

}  // namespace sluice
