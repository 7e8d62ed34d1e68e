#ifndef QUIC_TLS_PACKET_KEY_INSTALLER_H_
#define QUIC_TLS_PACKET_KEY_INSTALLER_H_

#include <ngtcp2/ngtcp2.h>

#include <cstdint>

#include "absl/types/span.h"

namespace sluice {

// Turns a traffic secret of TLS into keys of packets (RFC 9001 section 5.1) and gives them to the
// connection: for level 0-RTT, Handshake or 1-RTT; those of Initial packets come from elsewhere.
// `conn` has its TLS session set, which has chosen a cipher. Copies of secrets
// are wiped. False when the cipher is not one of QUIC's or memory is missing, or when ngtcp2
// refuses them; the handshake then fails.

// What protects packets that come.
[[nodiscard]] bool InstallReadKey(ngtcp2_conn& conn, ngtcp2_encryption_level level,
                                  absl::Span<const uint8_t> secret);
// What protects packets that go. At the level Handshake it makes a server's transport parameters
// final.
[[nodiscard]] bool InstallWriteKey(ngtcp2_conn& conn, ngtcp2_encryption_level level,
                                   absl::Span<const uint8_t> secret);

}  // namespace sluice

#endif  // QUIC_TLS_PACKET_KEY_INSTALLER_H_
