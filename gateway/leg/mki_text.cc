#include "gateway/leg/mki_text.h"

namespace sluice {

std::string MkiText(const Mki& mki) {
  std::string text;
  for (const uint8_t byte : mki.bytes()) {
    absl::StrAppend(&text, absl::Hex(byte, absl::kZeroPad2));
  }
  return text;
}

}  // namespace sluice
