#include "gateway/leg/packet_verdict.h"

#include <iterator>

namespace sluice {
namespace {

constexpr absl::string_view kNames[] = {
    "forwarded",
    "no_destination",
    "truncated",
    "not_media",
    "wrong_port",
    "malformed",
    "unexpected_source",
    "unexpected_ssrc",
    "no_key",
    "auth_failed",
    "replayed",
    "too_old",
    "unencrypted",
    "receive_key_exhausted",
    "unknown_mki",
    "receive_rekey_needed",
    "cryptex_refused",
    "on_hold",
    "rtcp_terminated",
    "intercepted",
    "no_packet_slot",
    "sent",
    "outbox_full",
    "send_failed",
    "index_reused",
    "send_key_exhausted",
    "send_rekey_needed",
    "cryptex_impossible",
    "no_tailroom",
    "too_many_streams",
    "no_copy_slot",
};
static_assert(std::size(kNames) == kPacketVerdictCount, "one name per verdict");

}  // namespace

absl::string_view VerdictName(PacketVerdict verdict) {
  return kNames[static_cast<size_t>(verdict)];
}

PacketVerdict ToPacketVerdict(UnprotectVerdict verdict) {
  switch (verdict) {
    case UnprotectVerdict::kOk:
      return PacketVerdict::kForwarded;
    case UnprotectVerdict::kMalformed:
      return PacketVerdict::kMalformed;
    case UnprotectVerdict::kReplayed:
      return PacketVerdict::kReplayed;
    case UnprotectVerdict::kTooOld:
      return PacketVerdict::kTooOld;
    case UnprotectVerdict::kAuthFailed:
      return PacketVerdict::kAuthFailed;
    case UnprotectVerdict::kUnencrypted:
      return PacketVerdict::kUnencrypted;
    case UnprotectVerdict::kKeyExhausted:
      return PacketVerdict::kReceiveKeyExhausted;
    case UnprotectVerdict::kNoScratch:
      return PacketVerdict::kNoPacketSlot;
    case UnprotectVerdict::kUnknownMki:
      return PacketVerdict::kUnknownMki;
    case UnprotectVerdict::kRekeyNeeded:
      return PacketVerdict::kReceiveRekeyNeeded;
    case UnprotectVerdict::kCryptexRefused:
      return PacketVerdict::kCryptexRefused;
  }
  return PacketVerdict::kMalformed;
}

PacketVerdict ToPacketVerdict(ProtectVerdict verdict) {
  switch (verdict) {
    case ProtectVerdict::kOk:
      return PacketVerdict::kSent;
    case ProtectVerdict::kMalformed:
      // Only parsed packets get this far; kMalformed would count as received.
      return PacketVerdict::kSendFailed;
    case ProtectVerdict::kNoTailroom:
      return PacketVerdict::kNoTailroom;
    case ProtectVerdict::kIndexReused:
      return PacketVerdict::kIndexReused;
    case ProtectVerdict::kKeyExhausted:
      return PacketVerdict::kSendKeyExhausted;
    case ProtectVerdict::kTooManyStreams:
      return PacketVerdict::kTooManyStreams;
    case ProtectVerdict::kRekeyNeeded:
      return PacketVerdict::kSendRekeyNeeded;
    case ProtectVerdict::kCryptexImpossible:
      return PacketVerdict::kCryptexImpossible;
  }
  return PacketVerdict::kSendFailed;
}

}  // namespace sluice
