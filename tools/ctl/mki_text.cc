#include "tools/ctl/mki_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace sluice {
namespace {

// RFC 4568 section 6.1.
constexpr size_t kMaxBytes = 128;
// 2^1024 has that many decimal digits.
constexpr size_t kMaxDigits = 309;

bool IsNumber(absl::string_view text) {
  return !text.empty() && absl::c_all_of(text, absl::ascii_isdigit);
}

}  // namespace

absl::StatusOr<std::string> ParseMki(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits(':', 1));
  const auto& [value, size_text] = parts;
  size_t size = 0;
  if (!IsNumber(value) || value.size() > kMaxDigits || !IsNumber(size_text) ||
      !absl::SimpleAtoi(size_text, &size) || size < 1 || size > kMaxBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is not VALUE:BYTES with 1 to ", kMaxBytes, " bytes; write 1:4"));
  }
  std::string bytes(size, '\0');
  for (const char digit : value) {
    unsigned carry = static_cast<unsigned>(digit - '0');
    for (size_t i = size; i > 0; --i) {
      carry += 10u * static_cast<uint8_t>(bytes[i - 1]);
      bytes[i - 1] = static_cast<char>(carry & 0xFF);
      carry >>= 8;
    }
    if (carry != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", text, "': the value does not fit into ", size, " bytes"));
    }
  }
  return bytes;
}

std::string FormatMki(absl::string_view bytes) {
  if (bytes.empty()) return "-";
  std::string rest(bytes);
  std::string digits;
  do {
    unsigned remainder = 0;
    for (char& byte : rest) {
      remainder = remainder << 8 | static_cast<uint8_t>(byte);
      byte = static_cast<char>(remainder / 10);
      remainder %= 10;
    }
    digits.push_back(static_cast<char>('0' + remainder));
  } while (absl::c_any_of(rest, [](char byte) { return byte != 0; }));
  std::reverse(digits.begin(), digits.end());
  return absl::StrCat(digits, ":", bytes.size());
}

}  // namespace sluice
