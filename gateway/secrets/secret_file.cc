#include "gateway/secrets/secret_file.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/secret_bytes.h"

namespace sluice {
namespace {

// A few secrets with generous blanks; what is longer is another file.
constexpr size_t kMaxFileBytes = 1024;

std::optional<uint8_t> HexDigit(char c) {
  if (c >= '0' && c <= '9') return static_cast<uint8_t>(c - '0');
  const char lower = absl::ascii_tolower(static_cast<unsigned char>(c));
  if (lower < 'a' || lower > 'f') return std::nullopt;
  return static_cast<uint8_t>(lower - 'a' + 10);
}

}  // namespace

bool ParseHexSecret(absl::string_view digits, absl::Span<uint8_t> out) {
  if (digits.size() != 2 * out.size()) {
    return false;
  }
  for (size_t i = 0; i < digits.size(); ++i) {
    const std::optional<uint8_t> digit = HexDigit(digits[i]);
    if (!digit.has_value()) {
      return false;
    }
    out[i / 2] = static_cast<uint8_t>(out[i / 2] << 4 | *digit);
  }
  return true;
}

absl::Status ReadSecretFile(const std::string& path, const SecretFileNames& names,
                            absl::FunctionRef<absl::Status(absl::string_view text)> parse) {
  const auto cannot_read = [&](int error) {
    return absl::NotFoundError(absl::StrCat("cannot read the ", names.file, " ", path, ": ",
                                            std::generic_category().message(error)));
  };
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "re"), &std::fclose);
  if (file == nullptr) {
    return cannot_read(errno);
  }
  struct stat status = {};
  if (fstat(fileno(file.get()), &status) != 0) {
    return cannot_read(errno);
  }
  if ((status.st_mode & (S_IRWXO | S_IWGRP)) != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("the ", names.file, " ", path,
                     " can be read or written by others than its owner: chmod 600 it, and take a "
                     "new ",
                     names.secret, " if others may have read it"));
  }
  // Without a buffer of stdio's that would keep the secret.
  std::setvbuf(file.get(), nullptr, _IONBF, 0);
  SecretBuffer<kMaxFileBytes + 1> text(kMaxFileBytes + 1);
  const size_t size = std::fread(text.mutable_span().data(), 1, text.size(), file.get());
  if (std::ferror(file.get()) != 0) {
    return cannot_read(errno);
  }
  if (size > kMaxFileBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("the ", names.file, " ", path, " is far too large"));
  }
  const absl::Status parsed =
      parse(absl::string_view(reinterpret_cast<const char*>(text.span().data()), size));
  if (!parsed.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the ", names.file, " ", path, " ", parsed.message()));
  }
  return absl::OkStatus();
}

}  // namespace sluice
