#ifndef GATEWAY_LEG_PACKET_VERDICT_H_
#define GATEWAY_LEG_PACKET_VERDICT_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "srtp/verdict.h"

namespace sluice {

// What happened to one datagram at one leg; every value has a counter per leg. The first group is
// given once to each received datagram, the second once to each packet on its way out.
enum class PacketVerdict : uint8_t {
  // Received: went to at least one other leg.
  kForwarded,
  // Received and accepted, but nobody wants it or its destination is not known yet.
  kNoDestination,
  // Longer than a packet slot.
  kTruncated,
  // STUN, DTLS or anything else that is no RTP or RTCP (RFC 7983 section 7).
  kNotMedia,
  // RTCP on a port that is for RTP only, or the reverse (RFC 5761).
  kWrongPort,
  kMalformed,
  kUnexpectedSource,
  kUnexpectedSsrc,
  // An SRTP leg without a remote key.
  kNoKey,
  kAuthFailed,
  kReplayed,
  kTooOld,
  kUnencrypted,
  kReceiveKeyExhausted,
  // No live key of the peer has the packet's master key identifier.
  kUnknownMki,
  // The peer's key opened as many packets as it may.
  kReceiveRekeyNeeded,
  // Header extensions are encrypted where they must not be, or readable where they must be.
  kCryptexRefused,
  kOnHold,
  // RTCP for the gateway itself (RtcpHandling::kTerminate).
  kRtcpTerminated,
  // An interceptor used it up: a retransmission that was not needed, parity, what came too late for
  // a
  // jitter buffer; or keeps it for later.
  kIntercepted,
  // No packet slot was free for a trial decryption.
  kNoPacketSlot,
  // Sent: handed to the kernel.
  kSent,
  // The outbox was full.
  kOutboxFull,
  // The kernel refused it.
  kSendFailed,
  // The same index with the same key must not be sent twice.
  kIndexReused,
  kSendKeyExhausted,
  // The gateway's key protected as many packets as it may.
  kSendRekeyNeeded,
  // Header extensions must leave encrypted, and these cannot.
  kCryptexImpossible,
  kNoTailroom,
  // More SSRCs than the sender keeps contexts for.
  kTooManyStreams,
  // No packet slot was free for the copy that this destination was to get.
  kNoCopySlot,
};
inline constexpr size_t kPacketVerdictCount = static_cast<size_t>(PacketVerdict::kNoCopySlot) + 1;

// Of the first group; the others are for packets on their way out.
constexpr bool IsReceivedVerdict(PacketVerdict verdict) {
  return verdict <= PacketVerdict::kNoPacketSlot;
}

// Lower snake case, as in the control API: "forwarded", "auth_failed".
absl::string_view VerdictName(PacketVerdict verdict);

PacketVerdict ToPacketVerdict(UnprotectVerdict verdict);
PacketVerdict ToPacketVerdict(ProtectVerdict verdict);

// One counter per verdict.
class VerdictCounters {
 public:
  void Count(PacketVerdict verdict) { ++counts_[static_cast<size_t>(verdict)]; }
  uint64_t count(PacketVerdict verdict) const { return counts_[static_cast<size_t>(verdict)]; }
  // Indexed by verdict.
  const std::array<uint64_t, kPacketVerdictCount>& counts() const { return counts_; }

 private:
  std::array<uint64_t, kPacketVerdictCount> counts_{};
};

}  // namespace sluice

#endif  // GATEWAY_LEG_PACKET_VERDICT_H_
