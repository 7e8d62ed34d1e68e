#include "srtp/crypto/ipsec_mb_manager.h"

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace sluice {
namespace {

struct Level {
  absl::string_view name;
  // IMB_FEATURE_ bits.
  uint64_t needs;
  void (*init)(IMB_MGR*);
};
// By IpsecMbLevel.
constexpr Level kLevels[] = {
    {"sse", IMB_CPUFLAGS_SSE, init_mb_mgr_sse},
    {"avx2", IMB_CPUFLAGS_AVX2, init_mb_mgr_avx2},
    {"avx512", IMB_CPUFLAGS_AVX512, init_mb_mgr_avx512},
};

// Appends the name of what is needed and not there.
void Need(bool there, absl::string_view name, std::string& missing) {
  if (!there) absl::StrAppend(&missing, missing.empty() ? "" : ", ", name);
}

}  // namespace

absl::string_view IpsecMbLevelName(IpsecMbLevel level) {
  return kLevels[static_cast<size_t>(level)].name;
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
  const Level& wanted = kLevels[static_cast<size_t>(level)];
  // What the library found by itself. Without this it would fault, in its self-test.
  if ((manager->features & wanted.needs) != wanted.needs) {
    return absl::UnavailableError(
        absl::StrCat("this CPU cannot run intel-ipsec-mb's ", wanted.name));
  }
  wanted.init(manager.get());
  if (const int error = imb_get_errno(manager.get()); error != 0) {
    return absl::UnavailableError(absl::StrCat("intel-ipsec-mb cannot be used with ", wanted.name,
                                               ": ", imb_get_strerror(error)));
  }
  if ((manager->features & IMB_FEATURE_SELF_TEST_PASS) == 0) {
    return absl::UnavailableError(
        absl::StrCat("intel-ipsec-mb's self-test of ", IpsecMbLevelName(level), " did not pass"));
  }
  return manager;
}

}  // namespace sluice
