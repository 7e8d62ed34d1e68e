#ifndef BASE_TESTING_HEX_H_
#define BASE_TESTING_HEX_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace sluice {

// The bytes written as hex digits of either case, with blanks anywhere. Anything else, or an odd
// number of digits, stops the test: the text is a literal of ours.
std::vector<uint8_t> HexBytes(absl::string_view hex);

// As HexBytes, but nothing when the text is not hex.
std::optional<std::vector<uint8_t>> ParseHex(absl::string_view hex);

// Lower case, no blanks. HexBytes(ToHex(x)) is x.
std::string ToHex(absl::Span<const uint8_t> bytes);

}  // namespace sluice

#endif  // BASE_TESTING_HEX_H_
