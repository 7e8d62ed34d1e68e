#ifndef SRTP_SRTP_POLICY_H_
#define SRTP_SRTP_POLICY_H_

#include <cstdint>

#include "absl/status/status.h"
#include "srtp/header_extension_cipher.h"
#include "srtp/key_derivation_rate.h"

namespace sluice {

// Most packets of each kind that one master key may protect (RFC 3711 section 9.2).
inline constexpr uint64_t kMaxRtpPacketsPerKey = uint64_t{1} << 48;
inline constexpr uint64_t kMaxRtcpPacketsPerKey = uint64_t{1} << 31;

// How long a master key lasts, in packets of one kind and direction, all SSRCs together.
struct KeyLifetime {
  // From here on rekey_due() says so: time for a new key while the old one still works.
  uint64_t soft;
  // That many packets and no more. 1..the limit of RFC 3711 section 9.2, and at least `soft`.
  uint64_t hard;
};

// Encryption of CSRCs and header extensions (RFC 9335).
enum class CryptexPolicy : uint8_t {
  // Never sent; refused when received.
  kOff,
  // Sent where a packet has CSRCs or an extension; taken with and without.
  kOn,
  // A packet whose CSRCs or extension would be readable is neither sent nor taken.
  kRequired,
};

// What both ends of one direction agreed on beside the profile and the keys.
struct SrtpPolicy {
  // None: session keys are derived once (RFC 3711 section 4.3.1).
  KeyDerivationRate key_derivation_rate;
  // Elements of header extensions that are encrypted, by their id (RFC 6904). Excludes cryptex.
  EncryptedExtensionIds encrypted_extensions;
  CryptexPolicy cryptex = CryptexPolicy::kOff;
  // Soft limits at seven eighths: at ten thousand packets a second the rest of the RTP limit is a
  // century, that of SRTCP a year at ten packets a second.
  KeyLifetime rtp_lifetime = {kMaxRtpPacketsPerKey / 8 * 7, kMaxRtpPacketsPerKey};
  KeyLifetime rtcp_lifetime = {kMaxRtcpPacketsPerKey / 8 * 7, kMaxRtcpPacketsPerKey};
};

// InvalidArgument naming what is out of its range or contradicts itself.
absl::Status CheckPolicy(const SrtpPolicy& policy);

}  // namespace sluice

#endif  // SRTP_SRTP_POLICY_H_
