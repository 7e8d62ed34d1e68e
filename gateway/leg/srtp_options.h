#ifndef GATEWAY_LEG_SRTP_OPTIONS_H_
#define GATEWAY_LEG_SRTP_OPTIONS_H_

#include <cstddef>

#include "srtp/srtp_policy.h"

namespace sluice {

// What both ends of one direction of an SRTP leg agreed on beside keys, and how much of it we keep
// track of.
struct SrtpOptions {
  SrtpPolicy policy;
  // Packets, a power of two 64..32768: how far back a reordered packet is still taken, or still
  // sent.
  size_t rtp_replay_window = 1024;
  // The same of SRTCP. Received only: what we send has consecutive indices.
  size_t rtcp_replay_window = 128;
  // SRTCP without encryption, though authenticated (RFC 3711 section 3.4): sent like that, or taken
  // beside what is encrypted.
  bool unencrypted_rtcp = false;

  friend bool operator==(const SrtpOptions& a, const SrtpOptions& b) {
    const auto same = [](const KeyLifetime& x, const KeyLifetime& y) {
      return x.soft == y.soft && x.hard == y.hard;
    };
    return a.policy.key_derivation_rate == b.policy.key_derivation_rate &&
           a.policy.encrypted_extensions == b.policy.encrypted_extensions &&
           a.policy.cryptex == b.policy.cryptex &&
           same(a.policy.rtp_lifetime, b.policy.rtp_lifetime) &&
           same(a.policy.rtcp_lifetime, b.policy.rtcp_lifetime) &&
           a.rtp_replay_window == b.rtp_replay_window &&
           a.rtcp_replay_window == b.rtcp_replay_window && a.unencrypted_rtcp == b.unencrypted_rtcp;
  }
};

}  // namespace sluice

#endif  // GATEWAY_LEG_SRTP_OPTIONS_H_
