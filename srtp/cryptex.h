#ifndef SRTP_CRYPTEX_H_
#define SRTP_CRYPTEX_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "srtp/packet_arena.h"
#include "srtp/rtp_packet_view.h"

namespace sluice {

// Cryptex: header extensions and CSRCs are encrypted with the payload (RFC 9335). These functions
// only rewrite headers; who encrypts what is with the caller. Knows no key.
//
//   on the wire        fixed header | CSRCs* | C0DE or C2DE, length | extension data* | payload*
//   while encrypting   fixed header | C0DE or C2DE, length | CSRCs* | extension data* | payload*
//
// What is marked * is encrypted. In the second form that is one piece, and so is what an AEAD takes
// as associated data (RFC 9335 section 6.2). HMAC authenticates the first form.
//
// Sending: CanBeCryptex, MarkCryptex, MoveExtensionHeaderForward, encryption,
// MoveExtensionHeaderBack. Receiving: IsCryptex, MoveExtensionHeaderForward, decryption,
// MoveExtensionHeaderBack, UnmarkCryptex.

// "Defined by profile" of an encrypted extension of the one-byte form, in place of 0xBEDE, and of
// the two-byte form, in place of 0x1000 (RFC 9335 section 5).
inline constexpr uint16_t kCryptexOneByteProfile = 0xC0DE;
inline constexpr uint16_t kCryptexTwoByteProfile = 0xC2DE;

// Whether the packet says that it is cryptex. As true as the packet: not authenticated by being
// read. Of a plain packet about to be sent it means that a receiver which knows cryptex would take
// it for one and find garbage.
bool IsCryptex(const RtpPacketView& packet);

// Whether there is anything that cryptex hides: CSRCs or an extension of any kind.
bool HasAnythingToHide(const RtpPacketView& packet);

// Whether a plain packet can be marked. Not with an extension that is not of RFC 8285, which
// RFC 9335 section 5.1 forbids; nor with "appbits" in one of the two-byte form, for which the mark
// has no room (section 5). Such a packet goes out with its header readable or not at all. Nor is
// there a mark for a packet without anything to hide.
bool CanBeCryptex(const RtpPacketView& packet);

// Whether marking adds an extension: the packet has CSRCs and none, and the mark needs one.
bool NeedsCryptexExtension(const RtpPacketView& packet);

// Marks a plain packet as cryptex, which is still to be encrypted then. Where it
// NeedsCryptexExtension, an empty one is put behind the CSRCs and the packet begins
// kRtpExtensionHeaderSize bytes earlier (RFC 9335 section 5.1). Gives the size of the header then;
// 0, and nothing changes, unless it CanBeCryptex and there is headroom for that.
[[nodiscard]] size_t MarkCryptex(PacketLoan& packet);

// Takes the mark from a decrypted packet: the profile becomes that of RFC 8285. An empty extension
// stays (RFC 9335 section 5.2). Nothing happens to what is not marked or is no RTP packet.
void UnmarkCryptex(absl::Span<uint8_t> packet);

// From the first form above to the second and back. `csrc_count` is the packet's. Nothing happens
// to a packet that ends before its extension's header does.
void MoveExtensionHeaderForward(absl::Span<uint8_t> packet, size_t csrc_count);
void MoveExtensionHeaderBack(absl::Span<uint8_t> packet, size_t csrc_count);

}  // namespace sluice

#endif  // SRTP_CRYPTEX_H_
