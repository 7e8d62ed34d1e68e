#ifndef SRTP_VERDICT_H_
#define SRTP_VERDICT_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace sluice {

// What happened to one packet on its way out. Everything but kOk leaves the packet as it was.
enum class ProtectVerdict : uint8_t {
  kOk,
  // Not an RTP or RTCP packet by its own lengths (RFC 3550 sections 5.1, 6.4.1).
  kMalformed,
  // Tag and trailer do not fit behind the packet.
  kNoTailroom,
  // This index was already used, or is too old to know: sending it again with other bytes would
  // repeat a keystream (RFC 3711 section 9.1, RFC 7714 section 8.1).
  kIndexReused,
  // The index is at its end. A rekey goes on with the index (RFC 3711 section 3.3.1), so it does
  // not help this SSRC: a new SSRC or a new sender does (RFC 3711 section 9.2).
  kKeyExhausted,
  // The sender's places are taken by SSRCs that sent with its present key, which it must not forget
  // (RFC 3711 section 9.1). A rekey frees the places of those that fell silent.
  kTooManyStreams,
  // The master key protected as many packets as it may (RFC 3711 section 9.2): a new key goes on.
  kRekeyNeeded,
  // Policy wants CSRCs and extensions encrypted, and this packet's cannot be; or they look as if
  // they were and are not (RFC 9335 section 5).
  kCryptexImpossible,
};
inline constexpr size_t kProtectVerdictCount = 8;

// What happened to one packet on its way in. Everything but kOk changed no state. After kAuthFailed
// and kNoScratch an AEAD packet's payload is wiped; otherwise the bytes are as they were.
enum class UnprotectVerdict : uint8_t {
  kOk,
  // Shorter than header, tag and trailer need, or lengths inside point past the end.
  kMalformed,
  // The replay window has this index (RFC 3711 section 3.3.2).
  kReplayed,
  // Left of the replay window.
  kTooOld,
  kAuthFailed,
  // SRTCP that is not encrypted (E = 0) where the policy wants encryption (RFC 3711 section 3.4).
  kUnencrypted,
  // The index is at its end (RFC 3711 section 9.2).
  kKeyExhausted,
  // Did not open with the likeliest key and rollover counter, and there was no scratch memory to
  // try others in.
  kNoScratch,
  // No live key has the packet's master key identifier (RFC 3711 section 3.1).
  kUnknownMki,
  // The master key opened as many packets as it may (RFC 3711 section 9.2).
  kRekeyNeeded,
  // CSRCs or extensions are encrypted where policy forbids it, or readable where it wants them
  // encrypted (RFC 9335).
  kCryptexRefused,
};
inline constexpr size_t kUnprotectVerdictCount = 11;

// Lower snake case without the k, as used for counters and in the control API.
absl::string_view VerdictName(ProtectVerdict verdict);
absl::string_view VerdictName(UnprotectVerdict verdict);

}  // namespace sluice

#endif  // SRTP_VERDICT_H_
