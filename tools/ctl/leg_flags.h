#ifndef TOOLS_CTL_LEG_FLAGS_H_
#define TOOLS_CTL_LEG_FLAGS_H_

#include <google/protobuf/field_mask.pb.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/gateway/v1/gateway_service.pb.h"
#include "proto/gateway/v1/leg.pb.h"

namespace sluice {

// What `leg add` and `leg update` were given, as text. Absent: the flag was not there.
struct LegFlags {
  std::optional<std::string> kind;
  std::optional<std::string> ip_family;
  bool rtcp_mux = false;
  std::optional<std::string> remote;
  std::optional<std::string> remote_rtcp;
  std::optional<std::string> source;
  std::optional<std::string> source_rtcp;
  bool learn = false;
  bool strict = false;
  std::optional<std::string> learning_window;
  std::optional<std::string> local_suite;
  std::optional<std::string> remote_suite;
  std::optional<std::string> remote_key;
  // Of the key that the gateway makes: with AddLeg a field of the configuration, with UpdateLeg one
  // of the request.
  std::optional<std::string> local_mki;
  std::vector<std::string> local_options;
  std::vector<std::string> remote_options;
  std::vector<std::string> payload_types;
  std::vector<int64_t> remote_ssrcs;
  std::vector<std::string> header_extensions;
  std::vector<std::string> remote_streams;
  std::vector<std::string> interceptors;
  std::optional<std::string> rtcp;
  bool reduced_size_rtcp = false;
  // `--hold` and `--resume`.
  bool hold = false;
  bool resume = false;
};

// The configuration for AddLeg. Errors begin with the flag that is wrong.
absl::StatusOr<gateway::v1::LegConfig> BuildLegConfig(const LegFlags& flags);

// Which fields of the configuration the flags change, for UpdateLeg.
google::protobuf::FieldMask BuildLegUpdateMask(const LegFlags& flags);

// "prepare", "activate" or "retire".
absl::StatusOr<gateway::v1::LocalKeyChange> ParseLocalKeyChange(absl::string_view text);

// "AES_CM_128_HMAC_SHA1_80" and the other names of RFC 4568 and RFC 7714.
absl::StatusOr<gateway::v1::CryptoSuite> ParseCryptoSuite(absl::string_view name);
std::string FormatCryptoSuite(gateway::v1::CryptoSuite suite);
// All of them, between commas.
std::string CryptoSuiteNames();

// "SUITE:inline:BASE64" as in an SDES crypto attribute, or "[inline:]BASE64" with the suite apart
// (`suite` empty: not given); then perhaps "|VALUE:BYTES", the MKI. "@FILE" reads either from a
// file, so that the key is in no process list.
absl::StatusOr<gateway::v1::SrtpKey> ParseSrtpKey(absl::string_view text, absl::string_view suite);
// "SUITE:inline:BASE64[|MKI]". Only for the keys that the gateway hands out.
std::string FormatSrtpKey(const gateway::v1::SrtpKey& key);

// "srtp", "rtp"; "-" if unspecified. Unknown numbers, from a newer gateway, print as they are.
std::string FormatLegKind(gateway::v1::LegKind kind);

}  // namespace sluice

#endif  // TOOLS_CTL_LEG_FLAGS_H_
