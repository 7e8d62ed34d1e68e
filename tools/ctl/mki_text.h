#ifndef TOOLS_CTL_MKI_TEXT_H_
#define TOOLS_CTL_MKI_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace sluice {

// Master key identifiers as SDES writes them, VALUE:BYTES, where the value is decimal: "1:4" is
// 00 00 00 01 (RFC 4568 section 6.1). 1 to 128 bytes.
absl::StatusOr<std::string> ParseMki(absl::string_view text);
// "-" for one of no bytes.
std::string FormatMki(absl::string_view bytes);

}  // namespace sluice

#endif  // TOOLS_CTL_MKI_TEXT_H_
