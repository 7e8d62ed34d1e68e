#include "gateway/tokens/token_id.h"

#include "absl/types/span.h"

namespace sluice {
namespace {

constexpr absl::string_view kDigits = "0123456789abcdef";

}  // namespace

TokenId TokenId::Random(RandomSource& random) {
  TokenId id;
  random.Fill(absl::MakeSpan(id.bytes_));
  return id;
}

std::optional<TokenId> TokenId::Parse(absl::string_view text) {
  if (text.size() != kTextSize) {
    return std::nullopt;
  }
  TokenId id;
  for (size_t i = 0; i < kTextSize; ++i) {
    const size_t digit = kDigits.find(text[i]);
    if (digit == absl::string_view::npos) {
      return std::nullopt;
    }
    id.bytes_[i / 2] = static_cast<uint8_t>(id.bytes_[i / 2] << 4 | digit);
  }
  return id;
}

std::string TokenId::ToString() const {
  std::string text;
  text.reserve(kTextSize);
  for (const uint8_t byte : bytes_) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

}  // namespace sluice
