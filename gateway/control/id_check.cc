#include "gateway/control/id_check.h"

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "gateway/session/session_spec.h"

namespace sluice {

bool HasIdCharacters(absl::string_view text) {
  return absl::c_all_of(text, [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '~' ||
           c == '-';
  });
}

void CheckId(absl::string_view path, absl::string_view id, FieldViolations& violations) {
  if (id.empty() || id.size() > kMaxIdSize || !HasIdCharacters(id)) {
    violations.Add(path,
                   absl::StrCat("must be 1 to ", kMaxIdSize, " characters of A-Z a-z 0-9 . _ ~ -",
                                id.size() > kMaxIdSize ? absl::StrCat(", has ", id.size()) : ""));
  }
}

}  // namespace sluice
