#include "tools/ctl/rate_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace sluice {

std::string FormatRate(DataRate rate) {
  const double bps = static_cast<double>(rate.bps());
  if (rate.bps() < 1'000) return absl::StrCat(rate.bps(), " bit/s");
  if (rate.bps() < 1'000'000) return absl::StrFormat("%.1f kbit/s", bps / 1e3);
  if (rate.bps() < 1'000'000'000) return absl::StrFormat("%.1f Mbit/s", bps / 1e6);
  return absl::StrFormat("%.1f Gbit/s", bps / 1e9);
}

}  // namespace sluice
