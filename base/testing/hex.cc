#include "base/testing/hex.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/check.h"

namespace sluice {
namespace {

// `c` is a hex digit.
uint8_t DigitValue(char c) {
  if (absl::ascii_isdigit(static_cast<unsigned char>(c))) return static_cast<uint8_t>(c - '0');
  return static_cast<uint8_t>(absl::ascii_tolower(static_cast<unsigned char>(c)) - 'a' + 10);
}

}  // namespace

std::optional<std::vector<uint8_t>> ParseHex(absl::string_view hex) {
  std::vector<uint8_t> bytes;
  bytes.reserve(hex.size() / 2);
  // The first digit of a pair, or none.
  int high = -1;
  for (const char c : hex) {
    if (absl::ascii_isspace(static_cast<unsigned char>(c))) continue;
    if (!absl::ascii_isxdigit(static_cast<unsigned char>(c))) return std::nullopt;
    if (high >= 0) {
      bytes.push_back(static_cast<uint8_t>((high << 4) | DigitValue(c)));
      high = -1;
    } else {
      high = DigitValue(c);
    }
  }
  if (high >= 0) return std::nullopt;
  return bytes;
}

std::vector<uint8_t> HexBytes(absl::string_view hex) {
  std::optional<std::vector<uint8_t>> bytes = ParseHex(hex);
  SLUICE_CHECK(bytes.has_value()) << "not hex: \"" << hex << "\"";
  return *std::move(bytes);
}

std::string ToHex(absl::Span<const uint8_t> bytes) {
  constexpr absl::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * bytes.size());
  for (const uint8_t byte : bytes) {
    hex.push_back(kDigits[byte >> 4]);
    hex.push_back(kDigits[byte & 0xF]);
  }
  return hex;
}

}  // namespace sluice
