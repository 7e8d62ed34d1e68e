#include "srtp/verdict.h"

#include <iterator>

namespace sluice {
namespace {

// In the order of the enums.
constexpr absl::string_view kProtectVerdictNames[] = {
    "ok",           "malformed",          "no_tailroom",
    "index_reused", "key_exhausted",      "too_many_streams",
    "rekey_needed", "cryptex_impossible",
};
static_assert(std::size(kProtectVerdictNames) == kProtectVerdictCount);

constexpr absl::string_view kUnprotectVerdictNames[] = {
    "ok",          "malformed",    "replayed",        "too_old",
    "auth_failed", "unencrypted",  "key_exhausted",   "no_scratch",
    "unknown_mki", "rekey_needed", "cryptex_refused",
};
static_assert(std::size(kUnprotectVerdictNames) == kUnprotectVerdictCount);

}  // namespace

absl::string_view VerdictName(ProtectVerdict verdict) {
  return kProtectVerdictNames[static_cast<size_t>(verdict)];
}

absl::string_view VerdictName(UnprotectVerdict verdict) {
  return kUnprotectVerdictNames[static_cast<size_t>(verdict)];
}

}  // namespace sluice
