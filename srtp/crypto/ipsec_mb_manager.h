#ifndef SRTP_CRYPTO_IPSEC_MB_MANAGER_H_
#define SRTP_CRYPTO_IPSEC_MB_MANAGER_H_

#include <intel-ipsec-mb.h>

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "srtp/crypto/cpu_features.h"

namespace sluice {

// Which of its implementations intel-ipsec-mb fills a manager with. Each level needs what the ones
// before it need, and more. Within a level the library chooses by CPUID: VAES, SHA and so on.
enum class IpsecMbLevel : uint8_t { kSse, kAvx2, kAvx512 };

absl::string_view IpsecMbLevelName(IpsecMbLevel level);

// The highest level that the CPU and the operating system can run. Unavailable, naming what is
// missing, if they cannot run any.
absl::StatusOr<IpsecMbLevel> HighestIpsecMbLevel(const CpuFeatures& features);

struct IpsecMbManagerDeleter {
  void operator()(IMB_MGR* manager) const { free_mb_mgr(manager); }
};
// The library's table of functions and its lanes: 0.2 MB, for one thread at a time.
using IpsecMbManager = std::unique_ptr<IMB_MGR, IpsecMbManagerDeleter>;

// A manager whose self-test has passed. `level` is at most HighestIpsecMbLevel(features); what
// `features` lacks is not used, also if the CPU has it. Unavailable, with the library's own words,
// when it refuses.
absl::StatusOr<IpsecMbManager> MakeIpsecMbManager(IpsecMbLevel level, const CpuFeatures& features);

}  // namespace sluice

#endif  // SRTP_CRYPTO_IPSEC_MB_MANAGER_H_
