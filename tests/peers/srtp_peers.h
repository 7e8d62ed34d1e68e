#ifndef TESTS_PEERS_SRTP_PEERS_H_
#define TESTS_PEERS_SRTP_PEERS_H_

#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "srtp/master_key.h"
#include "tests/peers/packet_ring.h"
#include "tests/peers/srtp_peer.h"

namespace sluice {

struct SrtpPeerKind {
  // As in the first part of a row's name.
  absl::string_view name;
  // Whether it is an implementation of SRTP of ours.
  bool ours;
  // Allocates. `key` is of a suite that libsrtp_peer.h names; `ring` outlives the peer.
  std::unique_ptr<SrtpPeer> (*make)(const MasterKey& key, PacketRing& ring);
};

// Those that can run on this machine.
std::vector<SrtpPeerKind> SrtpPeerKinds();

}  // namespace sluice

#endif  // TESTS_PEERS_SRTP_PEERS_H_
