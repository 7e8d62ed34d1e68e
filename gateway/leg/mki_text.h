#ifndef GATEWAY_LEG_MKI_TEXT_H_
#define GATEWAY_LEG_MKI_TEXT_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "srtp/mki.h"

namespace sluice {

// For errors: the bytes in hexadecimal.
std::string MkiText(const Mki& mki);

// For errors: those of any objects that have an `mki`, between commas.
template <typename Keys>
std::string MkiTexts(const Keys& keys) {
  return absl::StrJoin(keys, ", ", [](std::string* out, const auto& key) {
    absl::StrAppend(out, MkiText(key.mki));
  });
}

}  // namespace sluice

#endif  // GATEWAY_LEG_MKI_TEXT_H_
