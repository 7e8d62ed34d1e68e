#include "gateway/tokens/token_keys.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gateway/secrets/secret_file.h"

namespace sluice {
namespace {

constexpr absl::string_view kForm =
    "one or two lines of 64 hex digits each, the current key and the previous one "
    "(`openssl rand -hex 32` makes one)";

}  // namespace

TokenKeys GenerateTokenKeys(RandomSource& random) {
  TokenKeys keys;
  random.Fill(keys.current.mutable_span());
  return keys;
}

absl::StatusOr<TokenKeys> ParseTokenKeys(absl::string_view text) {
  std::vector<TokenKey> found;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const absl::string_view key_text = absl::StripAsciiWhitespace(line);
    if (key_text.empty()) {
      continue;
    }
    if (!ParseHexSecret(key_text, found.emplace_back().mutable_span())) {
      return absl::InvalidArgumentError(absl::StrCat("has to hold ", kForm));
    }
  }
  if (found.empty() || found.size() > 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("holds ", found.size(), " keys and has to hold ", kForm));
  }
  TokenKeys keys;
  keys.current = std::move(found[0]);
  if (found.size() == 2) {
    keys.previous = std::move(found[1]);
  }
  return keys;
}

absl::StatusOr<TokenKeys> LoadTokenKeys(const std::string& path) {
  TokenKeys keys;
  const absl::Status status = ReadSecretFile(
      path, {.file = "token key file", .secret = "key"}, [&keys](absl::string_view text) {
        absl::StatusOr<TokenKeys> parsed = ParseTokenKeys(text);
        if (parsed.ok()) {
          keys = *std::move(parsed);
        }
        return parsed.status();
      });
  if (!status.ok()) {
    return status;
  }
  return keys;
}

}  // namespace sluice
