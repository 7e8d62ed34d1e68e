#include "gateway/quic/reset_secret.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/secret_bytes.h"

namespace sluice {
namespace {

constexpr absl::string_view kForm =
    "has to hold one line of 64 hex digits (`openssl rand -hex 32` makes one)";

// A secret with generous blanks; what is longer is another file.
constexpr size_t kMaxFileBytes = 1024;

std::optional<uint8_t> HexDigit(char c) {
  if (absl::ascii_isdigit(static_cast<unsigned char>(c))) {
    return static_cast<uint8_t>(c - '0');
  }
  const char lower = absl::ascii_tolower(static_cast<unsigned char>(c));
  if (lower < 'a' || lower > 'f') {
    return std::nullopt;
  }
  return static_cast<uint8_t>(lower - 'a' + 10);
}

absl::Status CannotRead(const std::string& path, int error) {
  return absl::NotFoundError(absl::StrCat("cannot read the QUIC secret file ", path, ": ",
                                          std::generic_category().message(error)));
}

}  // namespace

absl::StatusOr<StatelessReset::Secret> ParseResetSecret(absl::string_view text) {
  const absl::string_view digits = absl::StripAsciiWhitespace(text);
  StatelessReset::Secret secret;
  if (digits.size() != 2 * StatelessReset::Secret::kSize) {
    return absl::InvalidArgumentError(kForm);
  }
  for (size_t i = 0; i < digits.size(); ++i) {
    const std::optional<uint8_t> digit = HexDigit(digits[i]);
    if (!digit.has_value()) {
      return absl::InvalidArgumentError(kForm);
    }
    uint8_t& byte = secret.mutable_span()[i / 2];
    byte = static_cast<uint8_t>(byte << 4 | *digit);
  }
  return secret;
}

absl::StatusOr<StatelessReset::Secret> LoadResetSecret(const std::string& path) {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "re"), &std::fclose);
  if (file == nullptr) {
    return CannotRead(path, errno);
  }
  struct stat status = {};
  if (fstat(fileno(file.get()), &status) != 0) {
    return CannotRead(path, errno);
  }
  if ((status.st_mode & (S_IRWXO | S_IWGRP)) != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("the QUIC secret file ", path,
                     " can be read or written by others than its owner: chmod 600 it, and take a "
                     "new secret if others may have read it"));
  }
  // Without a buffer of stdio's that would keep the secret.
  std::setvbuf(file.get(), nullptr, _IONBF, 0);
  SecretBuffer<kMaxFileBytes + 1> text(kMaxFileBytes + 1);
  const size_t size = std::fread(text.mutable_span().data(), 1, text.size(), file.get());
  if (std::ferror(file.get()) != 0) {
    return CannotRead(path, errno);
  }
  if (size > kMaxFileBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("the QUIC secret file ", path, " is far too large"));
  }
  absl::StatusOr<StatelessReset::Secret> secret =
      ParseResetSecret(absl::string_view(reinterpret_cast<const char*>(text.span().data()), size));
  if (!secret.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the QUIC secret file ", path, " ", secret.status().message()));
  }
  return secret;
}

}  // namespace sluice
