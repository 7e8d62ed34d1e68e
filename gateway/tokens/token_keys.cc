#include "gateway/tokens/token_keys.h"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"

namespace sluice {
namespace {

constexpr absl::string_view kForm =
    "one or two lines of 64 hex digits each, the current key and the previous one "
    "(`openssl rand -hex 32` makes one)";

// Two keys with generous blanks; what is longer is another file.
constexpr size_t kMaxFileBytes = 1024;

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = absl::ascii_tolower(static_cast<unsigned char>(c));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::optional<TokenKey> ParseKey(absl::string_view line) {
  if (line.size() != 2 * kTokenKeySize) {
    return std::nullopt;
  }
  TokenKey key;
  for (size_t i = 0; i < line.size(); ++i) {
    const int digit = HexDigit(line[i]);
    if (digit < 0) {
      return std::nullopt;
    }
    uint8_t& byte = key.mutable_span()[i / 2];
    byte = static_cast<uint8_t>(byte << 4 | digit);
  }
  return key;
}

absl::Status CannotRead(const std::string& path, int error) {
  return absl::NotFoundError(absl::StrCat("cannot read the token key file ", path, ": ",
                                          std::generic_category().message(error)));
}

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
    std::optional<TokenKey> key = ParseKey(key_text);
    if (!key.has_value()) {
      return absl::InvalidArgumentError(absl::StrCat("has to hold ", kForm));
    }
    found.push_back(*std::move(key));
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
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "re"), &std::fclose);
  if (file == nullptr) {
    return CannotRead(path, errno);
  }
  struct stat status = {};
  if (fstat(fileno(file.get()), &status) != 0) {
    return CannotRead(path, errno);
  }
  // Whoever reads the file can make tokens for every leg.
  if ((status.st_mode & (S_IRWXO | S_IWGRP)) != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("the token key file ", path,
                     " can be read or written by others than its owner: chmod 600 it, and take a "
                     "new key if others may have read it"));
  }
  // Without a buffer of stdio's that would keep the keys.
  std::setvbuf(file.get(), nullptr, _IONBF, 0);
  SecretBuffer<kMaxFileBytes + 1> text(kMaxFileBytes + 1);
  const size_t size = std::fread(text.mutable_span().data(), 1, text.size(), file.get());
  if (std::ferror(file.get()) != 0) {
    return CannotRead(path, errno);
  }
  if (size > kMaxFileBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("the token key file ", path, " is far too large"));
  }
  absl::StatusOr<TokenKeys> keys =
      ParseTokenKeys(absl::string_view(reinterpret_cast<const char*>(text.span().data()), size));
  if (!keys.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the token key file ", path, " ", keys.status().message()));
  }
  return keys;
}

}  // namespace sluice
