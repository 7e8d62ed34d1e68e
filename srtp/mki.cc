#include "srtp/mki.h"

#include "absl/strings/str_cat.h"
#include "base/byte_order.h"

namespace sluice {

absl::StatusOr<Mki> Mki::Create(absl::Span<const uint8_t> bytes) {
  if (bytes.size() > kMaxMkiSize) {
    return absl::InvalidArgumentError(
        absl::StrCat("MKI has ", bytes.size(), " bytes, must have 0..", kMaxMkiSize));
  }
  Mki mki;
  CopyBytes(absl::MakeSpan(mki.bytes_), bytes);
  mki.size_ = static_cast<uint8_t>(bytes.size());
  return mki;
}

}  // namespace sluice
