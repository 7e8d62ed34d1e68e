#include "srtp/crypto/ipsec_mb_manager.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace sluice {
namespace {

// Appends the name of what is needed and not there.
void Need(bool there, absl::string_view name, std::string& missing) {
  if (!there) absl::StrAppend(&missing, missing.empty() ? "" : ", ", name);
}

}  // namespace

absl::string_view IpsecMbLevelName(IpsecMbLevel level) {
  switch (level) {
    case IpsecMbLevel::kSse:
      return "sse";
    case IpsecMbLevel::kAvx2:
      return "avx2";
    case IpsecMbLevel::kAvx512:
      return "avx512";
  }
  return "unknown";
}

absl::StatusOr<IpsecMbLevel> HighestIpsecMbLevel(const CpuFeatures& features) {
  std::string missing;
  Need(features.sse42, "SSE4.2", missing);
  Need(features.aes, "AES", missing);
  Need(features.pclmulqdq, "PCLMULQDQ", missing);
  if (!missing.empty()) {
    return absl::UnavailableError(
        absl::StrCat("intel-ipsec-mb needs instructions that this CPU does not have: ", missing));
  }
  if (!features.avx || !features.avx2 || !features.bmi2 || !features.os_saves_avx) {
    return IpsecMbLevel::kSse;
  }
  if (!features.avx512 || !features.os_saves_avx512) return IpsecMbLevel::kAvx2;
  return IpsecMbLevel::kAvx512;
}

absl::StatusOr<IpsecMbManager> MakeIpsecMbManager(IpsecMbLevel level, const CpuFeatures& features) {
  uint64_t flags = 0;
  if (!features.sha) flags |= IMB_FLAG_SHANI_OFF;
  // The implementations with vector AES also need GFNI, which alone can be switched off.
  if (!features.vaes || !features.vpclmulqdq) flags |= IMB_FLAG_GFNI_OFF;
  IpsecMbManager manager(alloc_mb_mgr(flags));
  if (manager == nullptr) {
    return absl::UnavailableError(
        absl::StrCat("intel-ipsec-mb made no manager: ", imb_get_strerror(imb_get_errno(nullptr))));
  }
  switch (level) {
    case IpsecMbLevel::kSse:
      init_mb_mgr_sse(manager.get());
      break;
    case IpsecMbLevel::kAvx2:
      init_mb_mgr_avx2(manager.get());
      break;
    case IpsecMbLevel::kAvx512:
      init_mb_mgr_avx512(manager.get());
      break;
  }
  if (const int error = imb_get_errno(manager.get()); error != 0) {
    return absl::UnavailableError(absl::StrCat("intel-ipsec-mb cannot be used with ",
                                               IpsecMbLevelName(level), ": ",
                                               imb_get_strerror(error)));
  }
  if ((manager->features & IMB_FEATURE_SELF_TEST_PASS) == 0) {
    return absl::UnavailableError(
        absl::StrCat("intel-ipsec-mb's self-test of ", IpsecMbLevelName(level), " did not pass"));
  }
  return manager;
}

}  // namespace sluice
