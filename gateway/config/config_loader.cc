#include "gateway/config/config_loader.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "proto/config/v1/config.pb.h"
#include "srtp/crypto/engine_choice.h"

namespace sluice {
namespace {

namespace pb = ::google::protobuf;

// Keeps the first error: what follows it is mostly its consequence.
class FirstError : public pb::io::ErrorCollector {
 public:
  explicit FirstError(absl::string_view file) : file_(file) {}

  // Protobuf counts lines and columns from 0.
  void AddError(int line, pb::io::ColumnNumber column, const std::string& message) override {
    if (status_.ok()) {
      status_ = absl::InvalidArgumentError(absl::StrCat(file_, ":", line + 1, ":", column + 1, ": ",
                                                        absl::StripSuffix(message, ".")));
    }
  }

  const absl::Status& status() const { return status_; }

 private:
  std::string file_;
  absl::Status status_;
};

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  // An empty file is a configuration too: inserting nothing sets failbit of `text` only.
  if (in.is_open()) {
    text << in.rdbuf();
    in.peek();
  }
  if (!in.is_open() || in.bad()) {
    return absl::NotFoundError(absl::StrCat("cannot read the configuration file ", path, ": ",
                                            std::generic_category().message(errno)));
  }
  return text.str();
}

absl::Status ReadDuration(const pb::Message& parent, absl::string_view parent_name,
                          absl::string_view name, TimeDelta& out) {
  const pb::FieldDescriptor* field = parent.GetDescriptor()->FindFieldByName(std::string(name));
  if (!parent.GetReflection()->HasField(parent, field)) {
    return absl::OkStatus();
  }
  const auto& duration =
      static_cast<const pb::Duration&>(parent.GetReflection()->GetMessage(parent, field));
  constexpr int64_t kMaxSeconds = 315'576'000'000;  // google/protobuf/duration.proto
  if (duration.seconds() < 0 || duration.seconds() > kMaxSeconds || duration.nanos() < 0 ||
      duration.nanos() > 999'999'999) {
    return absl::InvalidArgumentError(
        absl::StrCat(parent_name, ".", name, ": is negative or not a duration"));
  }
  out = TimeDelta::Seconds(duration.seconds()) + TimeDelta::Micros(duration.nanos() / 1000);
  return absl::OkStatus();
}

absl::Status ReadTimeouts(const config::v1::Timeouts& in, TimeoutDefaults& out) {
  const std::pair<absl::string_view, TimeDelta&> rows[] = {{"idle_timeout", out.idle},
                                                           {"offer_timeout", out.offer},
                                                           {"absolute_timeout", out.absolute},
                                                           {"hold_timeout", out.hold}};
  for (const auto& [name, value] : rows) {
    absl::Status status = ReadDuration(in, "session_defaults", name, value);
    if (!status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

// Every row of kLimitRows has a field of the same name.
absl::Status ReadLimits(const config::v1::Limits& in, Limits& out) {
  for (const LimitRow& row : kLimitRows) {
    const pb::FieldDescriptor* field = in.GetDescriptor()->FindFieldByName(std::string(row.name));
    if (in.GetReflection()->HasField(in, field)) {
      out.*row.member = in.GetReflection()->GetUInt32(in, field);
    }
  }
  TimeDelta lifetime = TimeDelta::Micros(absl::ToInt64Microseconds(out.tombstone_lifetime));
  absl::Status status = ReadDuration(in, "limits", "tombstone_lifetime", lifetime);
  out.tombstone_lifetime = absl::Microseconds(lifetime.us());
  return status;
}

absl::Status ReadAddress(absl::string_view name, bool present, const std::string& text,
                         std::optional<IpAddress>& out) {
  if (!present) {
    return absl::OkStatus();
  }
  absl::StatusOr<IpAddress> ip = IpAddress::Parse(text);
  if (!ip.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": \"", text, "\" is not an IP address"));
  }
  out = *ip;
  return absl::OkStatus();
}

absl::Status ReadMedia(const config::v1::Media& in, MediaConfig& out) {
  out.packet_log_folder = in.packet_log_folder();
  for (const auto& [name, present, value, port] :
       {std::tuple("first_port", in.has_first_port(), in.first_port(), &out.first_port),
        std::tuple("last_port", in.has_last_port(), in.last_port(), &out.last_port)}) {
    if (present && value > 65535) {
      return absl::InvalidArgumentError(
          absl::StrCat("media.", name, " (--media-ports): ", value, " is above 65535"));
    }
    if (present) {
      *port = static_cast<uint16_t>(value);
    }
  }
  // A gateway that was told nothing tries things out on one machine.
  if (!in.has_ipv4() && !in.has_ipv6()) {
    out.ipv4 = IpAddress::V4({127, 0, 0, 1});
  }
  for (absl::Status status :
       {ReadAddress("media.ipv4 (--media-ipv4)", in.has_ipv4(), in.ipv4(), out.ipv4),
        ReadAddress("media.ipv6 (--media-ipv6)", in.has_ipv6(), in.ipv6(), out.ipv6),
        ReadAddress("media.advertised_ipv4 (--advertised-ipv4)", in.has_advertised_ipv4(),
                    in.advertised_ipv4(), out.advertised_ipv4),
        ReadAddress("media.advertised_ipv6 (--advertised-ipv6)", in.has_advertised_ipv6(),
                    in.advertised_ipv6(), out.advertised_ipv6)}) {
    if (!status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

absl::Status ReadControl(const config::v1::Control& in, Config& out) {
  const std::string listen = in.has_listen() ? in.listen() : "127.0.0.1:7443";
  absl::StatusOr<TransportAddress> address =
      ParseListenAddress("control.listen (--listen)", listen);
  if (!address.ok()) {
    return address.status();
  }
  out.listen = *address;
  out.token_key_file = in.token_key_file();
  if (in.insecure() && in.has_tls()) {
    return absl::InvalidArgumentError(
        "control.insecure and control.tls (--insecure, --tls-dir) contradict each other: take one");
  }
  if (in.has_tls()) {
    out.tls = TlsFiles{in.tls().certificate_file(), in.tls().private_key_file(),
                       in.tls().client_ca_file()};
  } else if (!in.insecure()) {
    return absl::InvalidArgumentError(
        "no TLS certificates: make some with `sluicectl pki init` and give their folder with "
        "--tls-dir, or say --insecure to let anybody on this machine control the gateway");
  }
  return absl::OkStatus();
}

// After ReadControl, whose certificate is the default.
absl::Status ReadSignalling(const config::v1::Signalling& in, Config& out) {
  if (!in.has_listen()) {
    if (in.has_certificate_file() || in.has_private_key_file()) {
      return absl::InvalidArgumentError(
          "signalling.listen (--signalling-listen): is missing, so nobody would see the "
          "certificate");
    }
    return absl::OkStatus();
  }
  const absl::StatusOr<TransportAddress> address =
      ParseListenAddress("signalling.listen (--signalling-listen)", in.listen());
  if (!address.ok()) {
    return address.status();
  }
  SignallingConfig signalling{*address, in.certificate_file(), in.private_key_file()};
  if (signalling.certificate.empty() && signalling.private_key.empty() && out.tls.has_value()) {
    signalling.certificate = out.tls->certificate;
    signalling.private_key = out.tls->private_key;
  }
  out.signalling = signalling;
  return absl::OkStatus();
}

// After ReadSignalling, whose certificate is the default.
absl::Status ReadQuic(const config::v1::Quic& in, Config& out) {
  if (!in.has_listen()) {
    if (in.ByteSizeLong() != 0) {
      return absl::InvalidArgumentError(
          "quic.listen (--quic-listen): is missing, so the other settings of QUIC mean nothing");
    }
    return absl::OkStatus();
  }
  const absl::StatusOr<TransportAddress> address =
      ParseListenAddress("quic.listen (--quic-listen)", in.listen());
  if (!address.ok()) {
    return address.status();
  }
  if (in.has_retry() && in.retry() != "auto" && in.retry() != "always") {
    return absl::InvalidArgumentError(
        absl::StrCat("quic.retry (--quic-retry): \"", in.retry(), "\" is not auto or always"));
  }
  QuicConfig quic{.listen = *address,
                  .certificate = in.certificate_file(),
                  .private_key = in.private_key_file(),
                  .secret_file = in.secret_file(),
                  .key_log_file = in.key_log_file(),
                  .always_retry = in.retry() == "always",
                  .allow_origins = {in.allow_origins().begin(), in.allow_origins().end()},
                  .early_data = in.early_data()};
  if (quic.certificate.empty() && quic.private_key.empty()) {
    if (out.signalling.has_value() && !out.signalling->certificate.empty()) {
      quic.certificate = out.signalling->certificate;
      quic.private_key = out.signalling->private_key;
    } else if (out.tls.has_value()) {
      quic.certificate = out.tls->certificate;
      quic.private_key = out.tls->private_key;
    }
  }
  out.quic = std::move(quic);
  return absl::OkStatus();
}

absl::Status ReadLogLevel(const std::string& text, LogLevel& out) {
  constexpr std::pair<absl::string_view, LogLevel> kLevels[] = {
      {"info", LogLevel::kInfo}, {"warning", LogLevel::kWarning}, {"error", LogLevel::kError}};
  for (const auto& [name, level] : kLevels) {
    if (text == name) {
      out = level;
      return absl::OkStatus();
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("log_level (--log-level): \"", text, "\" is not info, warning or error"));
}

absl::Status ReadCryptoEngine(const std::string& text, EngineRequest& out) {
  const absl::StatusOr<EngineRequest> request = ParseEngineRequest(text);
  if (!request.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("crypto_engine (--crypto-engine): ", request.status().message()));
  }
  out = *request;
  return absl::OkStatus();
}

void LayOverQuic(const ConfigFlags& flags, config::v1::Config& settings) {
  if (flags.quic_listen.has_value()) {
    settings.mutable_quic()->set_listen(*flags.quic_listen);
  }
  if (flags.quic_tls_dir.has_value()) {
    settings.mutable_quic()->set_certificate_file(
        absl::StrCat(*flags.quic_tls_dir, "/", kCertificateFile));
    settings.mutable_quic()->set_private_key_file(
        absl::StrCat(*flags.quic_tls_dir, "/", kPrivateKeyFile));
  }
  if (flags.quic_secret_file.has_value()) {
    settings.mutable_quic()->set_secret_file(*flags.quic_secret_file);
  }
  if (flags.quic_key_log.has_value()) {
    settings.mutable_quic()->set_key_log_file(*flags.quic_key_log);
  }
  if (flags.quic_retry.has_value()) {
    settings.mutable_quic()->set_retry(*flags.quic_retry);
  }
  if (flags.quic_early_data) {
    settings.mutable_quic()->set_early_data(true);
  }
  if (!flags.signalling_allow_origins.empty()) {
    settings.mutable_quic()->mutable_allow_origins()->Assign(flags.signalling_allow_origins.begin(),
                                                             flags.signalling_allow_origins.end());
  }
}

// Flags win over the file, each as a whole: --tls-dir replaces what the file says about TLS.
absl::Status LayOver(const ConfigFlags& flags, config::v1::Config& settings) {
  if (flags.listen.has_value()) {
    settings.mutable_control()->set_listen(*flags.listen);
  }
  if (flags.insecure && !flags.tls_dir.has_value()) {
    settings.mutable_control()->clear_tls();
  }
  if (flags.insecure) {
    settings.mutable_control()->set_insecure(true);
  }
  if (flags.tls_dir.has_value()) {
    if (!flags.insecure) {
      settings.mutable_control()->clear_insecure();
    }
    config::v1::Tls& tls = *settings.mutable_control()->mutable_tls();
    tls.set_certificate_file(absl::StrCat(*flags.tls_dir, "/", kCertificateFile));
    tls.set_private_key_file(absl::StrCat(*flags.tls_dir, "/", kPrivateKeyFile));
    tls.set_client_ca_file(absl::StrCat(*flags.tls_dir, "/", kClientCaFile));
  }
  if (flags.signalling_listen.has_value()) {
    settings.mutable_signalling()->set_listen(*flags.signalling_listen);
  }
  LayOverQuic(flags, settings);
  if (flags.token_key_file.has_value()) {
    settings.mutable_control()->set_token_key_file(*flags.token_key_file);
  }
  if (flags.media_ports.has_value()) {
    absl::StatusOr<MediaPortRange> range = ParsePortRange("--media-ports", *flags.media_ports);
    if (!range.ok()) {
      return range.status();
    }
    settings.mutable_media()->set_first_port(range->first);
    settings.mutable_media()->set_last_port(range->last);
  }
  if (flags.media_ipv4.has_value()) {
    settings.mutable_media()->set_ipv4(*flags.media_ipv4);
  }
  if (flags.media_ipv6.has_value()) {
    settings.mutable_media()->set_ipv6(*flags.media_ipv6);
  }
  if (flags.advertised_ipv4.has_value()) {
    settings.mutable_media()->set_advertised_ipv4(*flags.advertised_ipv4);
  }
  if (flags.advertised_ipv6.has_value()) {
    settings.mutable_media()->set_advertised_ipv6(*flags.advertised_ipv6);
  }
  if (flags.packet_log_folder.has_value()) {
    settings.mutable_media()->set_packet_log_folder(*flags.packet_log_folder);
  }
  if (flags.workers.has_value()) {
    settings.set_workers(*flags.workers);
  }
  if (flags.log_level.has_value()) {
    settings.set_log_level(*flags.log_level);
  }
  if (flags.crypto_engine.has_value()) {
    settings.set_crypto_engine(*flags.crypto_engine);
  }
  return absl::OkStatus();
}

absl::StatusOr<Config> MakeConfig(const config::v1::Config& settings, size_t cores) {
  Config config;
  config.workers = settings.has_workers() ? settings.workers() : std::min(cores, kMaxWorkers);
  absl::Status status = ReadControl(settings.control(), config);
  if (status.ok()) {
    status = ReadSignalling(settings.signalling(), config);
  }
  if (status.ok()) {
    status = ReadQuic(settings.quic(), config);
  }
  if (status.ok()) {
    status = ReadMedia(settings.media(), config.media);
  }
  if (status.ok()) {
    status = ReadTimeouts(settings.session_defaults(), config.session_defaults);
  }
  if (status.ok()) {
    status = ReadLimits(settings.limits(), config.limits);
  }
  if (status.ok() && settings.has_log_level()) {
    status = ReadLogLevel(settings.log_level(), config.log_level);
  }
  if (status.ok() && settings.has_crypto_engine()) {
    status = ReadCryptoEngine(settings.crypto_engine(), config.crypto_engine);
  }
  if (status.ok()) {
    status = CheckConfig(config);
  }
  if (!status.ok()) {
    return status;
  }
  return config;
}

}  // namespace

absl::StatusOr<Config> ParseConfig(absl::string_view file, const std::string& text,
                                   const ConfigFlags& flags, size_t cores) {
  config::v1::Config settings;
  FirstError error(file);
  pb::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  if (!parser.ParseFromString(text, &settings)) {
    return error.status().ok() ? absl::InvalidArgumentError(absl::StrCat(file, ": cannot be read"))
                               : error.status();
  }
  absl::Status status = LayOver(flags, settings);
  if (!status.ok()) {
    return status;
  }
  return MakeConfig(settings, cores);
}

absl::StatusOr<Config> LoadConfig(const ConfigFlags& flags, size_t cores) {
  if (!flags.config.has_value()) {
    return ParseConfig("", "", flags, cores);
  }
  absl::StatusOr<std::string> text = ReadFile(*flags.config);
  if (!text.ok()) {
    return text.status();
  }
  return ParseConfig(*flags.config, *text, flags, cores);
}

}  // namespace sluice
