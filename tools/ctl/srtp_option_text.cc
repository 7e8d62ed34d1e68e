#include "tools/ctl/srtp_option_text.h"

#include <cstdint>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace sluice {
namespace {

using ::sluice::gateway::v1::Cryptex;
using ::sluice::gateway::v1::KeyLifetime;
using ::sluice::gateway::v1::SrtpOptions;

constexpr absl::string_view kCryptexPrefix = "CRYPTEX_";

// The defaults of leg.proto, which go without saying.
constexpr uint32_t kRtpWindow = 1024;
constexpr uint32_t kRtcpWindow = 128;
constexpr uint64_t kRtpHard = uint64_t{1} << 48;
constexpr uint64_t kRtcpHard = uint64_t{1} << 31;

// Digits only: SimpleAtoi alone would take signs and blanks.
template <typename Number>
bool ParseNumber(absl::string_view text, Number& number) {
  return !text.empty() && absl::c_all_of(text, absl::ascii_isdigit) &&
         absl::SimpleAtoi(text, &number);
}

bool ParseIds(absl::string_view text, SrtpOptions& options) {
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    uint32_t id = 0;
    if (!ParseNumber(part, id)) return false;
    options.add_encrypted_extension_ids(id);
  }
  return true;
}

bool ParseCryptex(absl::string_view text, SrtpOptions& options) {
  Cryptex cryptex = gateway::v1::CRYPTEX_UNSPECIFIED;
  if (!gateway::v1::Cryptex_Parse(absl::StrCat(kCryptexPrefix, absl::AsciiStrToUpper(text)),
                                  &cryptex) ||
      cryptex == gateway::v1::CRYPTEX_UNSPECIFIED) {
    return false;
  }
  options.set_cryptex(cryptex);
  return true;
}

bool ParseLifetime(absl::string_view text, KeyLifetime& lifetime) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '/');
  uint64_t hard = 0;
  uint64_t soft = 0;
  if (parts.size() > 2 || !ParseNumber(parts.back(), hard) ||
      (parts.size() == 2 && !ParseNumber(parts[0], soft))) {
    return false;
  }
  lifetime.set_hard(hard);
  if (parts.size() == 2) lifetime.set_soft(soft);
  return true;
}

struct OptionRow {
  absl::string_view key;
  // What its value looks like.
  absl::string_view sample;
  bool (*parse)(absl::string_view value, SrtpOptions& options);
};
constexpr OptionRow kOptions[] = {
    {"encrypted_extension_ids", "1,3", ParseIds},
    {"cryptex", "off, on or required", ParseCryptex},
    {"rtp_replay_window", "2048",
     [](absl::string_view value, SrtpOptions& options) {
       uint32_t window = 0;
       const bool ok = ParseNumber(value, window);
       options.set_rtp_replay_window(window);
       return ok;
     }},
    {"rtcp_replay_window", "256",
     [](absl::string_view value, SrtpOptions& options) {
       uint32_t window = 0;
       const bool ok = ParseNumber(value, window);
       options.set_rtcp_replay_window(window);
       return ok;
     }},
    {"key_derivation_rate", "4096",
     [](absl::string_view value, SrtpOptions& options) {
       uint64_t rate = 0;
       const bool ok = ParseNumber(value, rate);
       options.set_key_derivation_rate(rate);
       return ok;
     }},
    {"unencrypted_rtcp", "true or false",
     [](absl::string_view value, SrtpOptions& options) {
       options.set_unencrypted_rtcp(value == "true");
       return value == "true" || value == "false";
     }},
    {"rtp_lifetime", "900000/1000000",
     [](absl::string_view value, SrtpOptions& options) {
       return ParseLifetime(value, *options.mutable_rtp_lifetime());
     }},
    {"rtcp_lifetime", "9000/10000",
     [](absl::string_view value, SrtpOptions& options) {
       return ParseLifetime(value, *options.mutable_rtcp_lifetime());
     }},
};

absl::Status ParseOne(absl::string_view text, SrtpOptions& options) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('=', 1));
  for (const OptionRow& row : kOptions) {
    if (row.key != parts.first) continue;
    if (row.parse(parts.second, options)) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "': write ", row.key, "=", row.sample));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", text, "' is not KEY=VALUE with one of ",
                   absl::StrJoin(kOptions, ", ", [](std::string* out, const OptionRow& row) {
                     absl::StrAppend(out, row.key);
                   })));
}

std::string FormatCryptex(Cryptex cryptex) {
  if (!gateway::v1::Cryptex_IsValid(cryptex)) return absl::StrCat(static_cast<int>(cryptex));
  return absl::AsciiStrToLower(
      absl::StripPrefix(gateway::v1::Cryptex_Name(cryptex), kCryptexPrefix));
}

void AddLifetime(absl::string_view key, const KeyLifetime& lifetime, uint64_t hard,
                 std::vector<std::string>& parts) {
  if (lifetime.hard() != hard || lifetime.soft() != hard / 8 * 7) {
    parts.push_back(absl::StrCat(key, "=", lifetime.soft(), "/", lifetime.hard()));
  }
}

}  // namespace

absl::StatusOr<SrtpOptions> ParseSrtpOptions(const std::vector<std::string>& texts) {
  SrtpOptions options;
  for (const std::string& text : texts) {
    if (absl::Status status = ParseOne(text, options); !status.ok()) return status;
  }
  return options;
}

std::string FormatSrtpOptions(const SrtpOptions& options) {
  std::vector<std::string> parts;
  if (!options.encrypted_extension_ids().empty()) {
    parts.push_back(absl::StrCat("encrypted_extension_ids=",
                                 absl::StrJoin(options.encrypted_extension_ids(), ",")));
  }
  if (options.cryptex() != gateway::v1::CRYPTEX_UNSPECIFIED &&
      options.cryptex() != gateway::v1::CRYPTEX_OFF) {
    parts.push_back(absl::StrCat("cryptex=", FormatCryptex(options.cryptex())));
  }
  if (options.has_rtp_replay_window() && options.rtp_replay_window() != kRtpWindow) {
    parts.push_back(absl::StrCat("rtp_replay_window=", options.rtp_replay_window()));
  }
  if (options.has_rtcp_replay_window() && options.rtcp_replay_window() != kRtcpWindow) {
    parts.push_back(absl::StrCat("rtcp_replay_window=", options.rtcp_replay_window()));
  }
  if (options.key_derivation_rate() != 0) {
    parts.push_back(absl::StrCat("key_derivation_rate=", options.key_derivation_rate()));
  }
  if (options.unencrypted_rtcp()) parts.push_back("unencrypted_rtcp=true");
  if (options.has_rtp_lifetime()) {
    AddLifetime("rtp_lifetime", options.rtp_lifetime(), kRtpHard, parts);
  }
  if (options.has_rtcp_lifetime()) {
    AddLifetime("rtcp_lifetime", options.rtcp_lifetime(), kRtcpHard, parts);
  }
  return parts.empty() ? "-" : absl::StrJoin(parts, " ");
}

}  // namespace sluice
