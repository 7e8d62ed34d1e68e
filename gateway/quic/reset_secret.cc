#include "gateway/quic/reset_secret.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "gateway/secrets/secret_file.h"

namespace sluice {

absl::StatusOr<StatelessReset::Secret> ParseResetSecret(absl::string_view text) {
  StatelessReset::Secret secret;
  if (!ParseHexSecret(absl::StripAsciiWhitespace(text), secret.mutable_span())) {
    return absl::InvalidArgumentError(
        "has to hold one line of 64 hex digits (`openssl rand -hex 32` makes one)");
  }
  return secret;
}

absl::StatusOr<StatelessReset::Secret> LoadResetSecret(const std::string& path) {
  StatelessReset::Secret secret;
  const absl::Status status = ReadSecretFile(
      path, {.file = "QUIC secret file", .secret = "secret"}, [&secret](absl::string_view text) {
        absl::StatusOr<StatelessReset::Secret> parsed = ParseResetSecret(text);
        if (parsed.ok()) {
          secret = *std::move(parsed);
        }
        return parsed.status();
      });
  if (!status.ok()) {
    return status;
  }
  return secret;
}

}  // namespace sluice
