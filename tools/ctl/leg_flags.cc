#include "tools/ctl/leg_flags.h"

#include <cstddef>
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tools/ctl/duration_text.h"
#include "tools/ctl/interceptor_text.h"
#include "tools/ctl/media_text.h"
#include "tools/ctl/mki_text.h"
#include "tools/ctl/srtp_option_text.h"
#include "tools/ctl/transport_text.h"

namespace sluice {
namespace {

using ::sluice::gateway::v1::CryptoSuite;
using ::sluice::gateway::v1::HeaderExtension;
using ::sluice::gateway::v1::Interceptors;
using ::sluice::gateway::v1::LegConfig;
using ::sluice::gateway::v1::LocalKeyChange;
using ::sluice::gateway::v1::PayloadType;
using ::sluice::gateway::v1::RemoteTransport;
using ::sluice::gateway::v1::RtcpHandling;
using ::sluice::gateway::v1::SrtpKey;
using ::sluice::gateway::v1::SrtpOptions;
using ::sluice::gateway::v1::StreamGroup;
using ::sluice::gateway::v1::TransportAddress;

constexpr absl::string_view kSuitePrefix = "CRYPTO_SUITE_";

absl::Status AtFlag(absl::string_view flag, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(flag, ": ", status.message()));
}

absl::Status SetAddress(absl::string_view flag, const std::optional<std::string>& text,
                        TransportAddress* (RemoteTransport::*field)(), LegConfig& config) {
  if (!text.has_value()) return absl::OkStatus();
  const absl::StatusOr<TransportAddress> address = ParseTransportAddress(*text);
  if (!address.ok()) return AtFlag(flag, address.status());
  *(config.mutable_remote()->*field)() = *address;
  return absl::OkStatus();
}

absl::Status SetRemote(const LegFlags& flags, LegConfig& config) {
  using Setter = TransportAddress* (RemoteTransport::*)();
  const struct {
    absl::string_view flag;
    const std::optional<std::string>& text;
    Setter field;
  } kAddresses[] = {
      {"--remote", flags.remote, &RemoteTransport::mutable_rtp},
      {"--remote-rtcp", flags.remote_rtcp, &RemoteTransport::mutable_rtcp},
      {"--source", flags.source, &RemoteTransport::mutable_source_rtp},
      {"--source-rtcp", flags.source_rtcp, &RemoteTransport::mutable_source_rtcp},
  };
  for (const auto& a : kAddresses) {
    if (absl::Status status = SetAddress(a.flag, a.text, a.field, config); !status.ok()) {
      return status;
    }
  }
  if (config.has_remote() && !config.remote().has_rtp()) {
    return absl::InvalidArgumentError(
        "--remote is missing: the other addresses of the peer only make sense beside it");
  }
  return absl::OkStatus();
}

absl::Status SetKindAndFamily(const LegFlags& flags, LegConfig& config) {
  if (flags.kind.has_value()) {
    gateway::v1::LegKind kind = gateway::v1::LEG_KIND_UNSPECIFIED;
    if (!gateway::v1::LegKind_Parse(absl::StrCat("LEG_KIND_", absl::AsciiStrToUpper(*flags.kind)),
                                    &kind) ||
        kind == gateway::v1::LEG_KIND_UNSPECIFIED) {
      return absl::InvalidArgumentError(
          absl::StrCat("--kind: '", *flags.kind, "' is neither rtp nor srtp"));
    }
    config.set_kind(kind);
  }
  if (flags.ip_family.has_value()) {
    if (*flags.ip_family != "4" && *flags.ip_family != "6") {
      return absl::InvalidArgumentError(
          absl::StrCat("--ip-family: '", *flags.ip_family, "' is neither 4 nor 6"));
    }
    config.set_ip_family(*flags.ip_family == "4" ? gateway::v1::IP_FAMILY_IPV4
                                                 : gateway::v1::IP_FAMILY_IPV6);
  }
  return absl::OkStatus();
}

absl::Status SetLearning(const LegFlags& flags, LegConfig& config) {
  if (flags.learn && flags.strict) {
    return absl::InvalidArgumentError("--learn and --strict exclude each other");
  }
  if (flags.learn) config.set_address_learning(gateway::v1::ADDRESS_LEARNING_LEARN);
  if (flags.strict) config.set_address_learning(gateway::v1::ADDRESS_LEARNING_STRICT);
  if (flags.learning_window.has_value()) {
    const absl::StatusOr<absl::Duration> window = ParseDuration(*flags.learning_window);
    if (!window.ok()) return AtFlag("--learning-window", window.status());
    *config.mutable_learning_window() = ToProto(*window);
  }
  return absl::OkStatus();
}

absl::Status SetKeys(const LegFlags& flags, LegConfig& config) {
  if (flags.local_suite.has_value()) {
    const absl::StatusOr<CryptoSuite> suite = ParseCryptoSuite(*flags.local_suite);
    if (!suite.ok()) return AtFlag("--local-suite", suite.status());
    config.set_local_suite(*suite);
  }
  if (flags.remote_key.has_value()) {
    const absl::StatusOr<SrtpKey> key =
        ParseSrtpKey(*flags.remote_key, flags.remote_suite.value_or(""));
    if (!key.ok()) return AtFlag("--remote-key", key.status());
    *config.mutable_remote_key() = *key;
  } else if (flags.remote_suite.has_value()) {
    return absl::InvalidArgumentError("--remote-suite: needs --remote-key beside it");
  }
  return absl::OkStatus();
}

absl::Status SetOptions(const LegFlags& flags, LegConfig& config) {
  using Setter = SrtpOptions* (LegConfig::*)();
  const struct {
    absl::string_view flag;
    const std::vector<std::string>& texts;
    Setter field;
  } kDirections[] = {
      {"--local-option", flags.local_options, &LegConfig::mutable_local_options},
      {"--remote-option", flags.remote_options, &LegConfig::mutable_remote_options},
  };
  for (const auto& d : kDirections) {
    if (d.texts.empty()) continue;
    const absl::StatusOr<SrtpOptions> options = ParseSrtpOptions(d.texts);
    if (!options.ok()) return AtFlag(d.flag, options.status());
    *(config.*d.field)() = *options;
  }
  return absl::OkStatus();
}

absl::Status SetStreams(const LegFlags& flags, LegConfig& config) {
  for (const std::string& text : flags.payload_types) {
    const absl::StatusOr<PayloadType> type = ParsePayloadType(text);
    if (!type.ok()) return AtFlag("--payload-type", type.status());
    *config.add_payload_types() = *type;
  }
  for (const int64_t ssrc : flags.remote_ssrcs) config.add_remote_ssrcs(ssrc);
  for (const std::string& text : flags.header_extensions) {
    const absl::StatusOr<HeaderExtension> extension = ParseHeaderExtension(text);
    if (!extension.ok()) return AtFlag("--extension", extension.status());
    *config.add_header_extensions() = *extension;
  }
  for (const std::string& text : flags.remote_streams) {
    const absl::StatusOr<StreamGroup> group = ParseStreamGroup(text);
    if (!group.ok()) return AtFlag("--stream", group.status());
    *config.add_remote_streams() = *group;
  }
  if (flags.hold && flags.resume) {
    return absl::InvalidArgumentError("--hold and --resume exclude each other");
  }
  config.set_hold(flags.hold);
  return absl::OkStatus();
}

bool HasInterceptorFlags(const LegFlags& flags) {
  return flags.rtcp.has_value() || flags.reduced_size_rtcp || !flags.interceptors.empty();
}

absl::Status SetInterceptors(const LegFlags& flags, LegConfig& config) {
  if (!HasInterceptorFlags(flags)) return absl::OkStatus();
  Interceptors& interceptors = *config.mutable_interceptors();
  if (flags.rtcp.has_value()) {
    const absl::StatusOr<RtcpHandling> handling = ParseRtcpHandling(*flags.rtcp);
    if (!handling.ok()) return AtFlag("--rtcp", handling.status());
    interceptors.set_rtcp(*handling);
  }
  interceptors.set_reduced_size_rtcp(flags.reduced_size_rtcp);
  for (const std::string& text : flags.interceptors) {
    if (absl::Status status = SetInterceptor(text, interceptors); !status.ok()) {
      return AtFlag("--interceptor", status);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadSecretFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file || text.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("the file '", path, "' cannot be read"));
  }
  return std::string(absl::StripAsciiWhitespace(text));
}

}  // namespace

absl::StatusOr<LegConfig> BuildLegConfig(const LegFlags& flags) {
  LegConfig config;
  config.set_rtcp_mux(flags.rtcp_mux);
  for (const auto& set : {SetKindAndFamily, SetRemote, SetLearning, SetKeys, SetOptions, SetStreams,
                          SetInterceptors}) {
    if (absl::Status status = set(flags, config); !status.ok()) return status;
  }
  return config;
}

google::protobuf::FieldMask BuildLegUpdateMask(const LegFlags& flags) {
  const struct {
    bool given;
    const char* path;
  } kPaths[] = {
      {flags.remote || flags.remote_rtcp || flags.source || flags.source_rtcp, "remote"},
      {flags.remote_key.has_value(), "remote_key"},
      {!flags.local_options.empty(), "local_options"},
      {!flags.remote_options.empty(), "remote_options"},
      {flags.learn || flags.strict, "address_learning"},
      {flags.learning_window.has_value(), "learning_window"},
      {!flags.payload_types.empty(), "payload_types"},
      {!flags.remote_ssrcs.empty(), "remote_ssrcs"},
      {!flags.header_extensions.empty(), "header_extensions"},
      {!flags.remote_streams.empty(), "remote_streams"},
      {HasInterceptorFlags(flags), "interceptors"},
      {flags.hold || flags.resume, "hold"},
  };
  google::protobuf::FieldMask mask;
  for (const auto& p : kPaths) {
    if (p.given) mask.add_paths(p.path);
  }
  return mask;
}

absl::StatusOr<LocalKeyChange> ParseLocalKeyChange(absl::string_view text) {
  if (text == "prepare") return gateway::v1::LOCAL_KEY_CHANGE_PREPARE;
  if (text == "activate") return gateway::v1::LOCAL_KEY_CHANGE_ACTIVATE;
  if (text == "retire") return gateway::v1::LOCAL_KEY_CHANGE_RETIRE;
  return absl::InvalidArgumentError(
      absl::StrCat("--local-key: '", text, "' is none of prepare, activate and retire"));
}

absl::StatusOr<CryptoSuite> ParseCryptoSuite(absl::string_view name) {
  CryptoSuite suite = gateway::v1::CRYPTO_SUITE_UNSPECIFIED;
  if (gateway::v1::CryptoSuite_Parse(absl::StrCat(kSuitePrefix, name), &suite) &&
      suite != gateway::v1::CRYPTO_SUITE_UNSPECIFIED) {
    return suite;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", name, "' is not a crypto suite; there are ", CryptoSuiteNames()));
}

std::string CryptoSuiteNames() {
  std::vector<std::string> names;
  const auto* descriptor = gateway::v1::CryptoSuite_descriptor();
  for (int i = 0; i < descriptor->value_count(); ++i) {
    const auto suite = static_cast<CryptoSuite>(descriptor->value(i)->number());
    if (suite != gateway::v1::CRYPTO_SUITE_UNSPECIFIED) names.push_back(FormatCryptoSuite(suite));
  }
  return absl::StrJoin(names, ", ");
}

std::string FormatCryptoSuite(CryptoSuite suite) {
  if (suite == gateway::v1::CRYPTO_SUITE_UNSPECIFIED) return "-";
  if (!gateway::v1::CryptoSuite_IsValid(suite)) return absl::StrCat(static_cast<int>(suite));
  return std::string(absl::StripPrefix(gateway::v1::CryptoSuite_Name(suite), kSuitePrefix));
}

// No message of this function repeats the text: it is a key, or was meant to be one.
absl::StatusOr<SrtpKey> ParseSrtpKey(absl::string_view text, absl::string_view suite) {
  if (absl::ConsumePrefix(&text, "@")) {
    const absl::StatusOr<std::string> content = ReadSecretFile(std::string(text));
    if (!content.ok()) return content.status();
    if (absl::StartsWith(*content, "@")) {
      return absl::InvalidArgumentError("the file names another file instead of a key");
    }
    return ParseSrtpKey(*content, suite);
  }
  const size_t colon = text.find(':');
  if (colon != absl::string_view::npos && text.substr(0, colon) != "inline") {
    if (!suite.empty() && suite != text.substr(0, colon)) {
      return absl::InvalidArgumentError("the suite in it and --remote-suite differ");
    }
    suite = text.substr(0, colon);
    text.remove_prefix(colon + 1);
  }
  absl::ConsumePrefix(&text, "inline:");
  if (suite.empty()) {
    return absl::InvalidArgumentError(
        "its suite is missing; write SUITE:inline:BASE64, such as "
        "AES_CM_128_HMAC_SHA1_80:inline:..., or add --remote-suite");
  }
  const absl::StatusOr<CryptoSuite> parsed_suite = ParseCryptoSuite(suite);
  if (!parsed_suite.ok()) return parsed_suite.status();
  SrtpKey key;
  key.set_suite(*parsed_suite);
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '|');
  if (parts[0].empty() || !absl::Base64Unescape(parts[0], key.mutable_master_key_and_salt())) {
    return absl::InvalidArgumentError("what follows the suite is not base64");
  }
  if (parts.size() > 2 || (parts.size() == 2 && !absl::StrContains(parts[1], ':'))) {
    return absl::InvalidArgumentError(
        "behind '|' only an MKI may follow, as VALUE:BYTES; a lifetime is given with "
        "--remote-option rtp_lifetime=NUMBER");
  }
  if (parts.size() == 2) {
    const absl::StatusOr<std::string> mki = ParseMki(parts[1]);
    if (!mki.ok()) return mki.status();
    key.set_mki(*mki);
  }
  return key;
}

std::string FormatSrtpKey(const SrtpKey& key) {
  return absl::StrCat(FormatCryptoSuite(key.suite()),
                      ":inline:", absl::Base64Escape(key.master_key_and_salt()),
                      key.mki().empty() ? "" : absl::StrCat("|", FormatMki(key.mki())));
}

std::string FormatLegKind(gateway::v1::LegKind kind) {
  if (kind == gateway::v1::LEG_KIND_UNSPECIFIED) return "-";
  if (!gateway::v1::LegKind_IsValid(kind)) return absl::StrCat(static_cast<int>(kind));
  return absl::AsciiStrToLower(absl::StripPrefix(gateway::v1::LegKind_Name(kind), "LEG_KIND_"));
}

}  // namespace sluice
