#include "srtp/srtp_policy.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace sluice {
namespace {

absl::Status CheckLifetime(absl::string_view name, const KeyLifetime& lifetime, uint64_t limit) {
  if (lifetime.hard < 1 || lifetime.hard > limit) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ".hard is ", lifetime.hard, ", must be 1..", limit));
  }
  if (lifetime.soft > lifetime.hard) {
    return absl::InvalidArgumentError(absl::StrCat(name, ".soft is ", lifetime.soft,
                                                   ", must be at most ", name, ".hard, which is ",
                                                   lifetime.hard));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckPolicy(const SrtpPolicy& policy) {
  if (policy.encrypted_extensions.any() && policy.cryptex != CryptexPolicy::kOff) {
    return absl::InvalidArgumentError(
        "encrypted_extensions and cryptex exclude each other: cryptex encrypts all extensions");
  }
  if (absl::Status status =
          CheckLifetime("rtp_lifetime", policy.rtp_lifetime, kMaxRtpPacketsPerKey);
      !status.ok()) {
    return status;
  }
  return CheckLifetime("rtcp_lifetime", policy.rtcp_lifetime, kMaxRtcpPacketsPerKey);
}

}  // namespace sluice
