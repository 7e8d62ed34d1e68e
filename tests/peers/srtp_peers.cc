#include "tests/peers/srtp_peers.h"

#include <algorithm>

#include "srtp/crypto/cpu_features.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/crypto/engine_choice.h"
#include "tests/peers/libsrtp_peer.h"
#include "tests/peers/raw_boringssl_peer.h"
#include "tests/peers/sluice_srtp_peer.h"
#if defined(__x86_64__)
#include "tests/peers/raw_ipsec_mb_peer.h"
#endif

namespace sluice {
namespace {

template <EngineKind kind>
std::unique_ptr<SrtpPeer> MakeOurs(const MasterKey& key, PacketRing& ring) {
  return std::make_unique<SluiceSrtpPeer>(key, ring, MakeEngine(kind));
}

template <typename Peer>
std::unique_ptr<SrtpPeer> Make(const MasterKey& key, PacketRing& ring) {
  return std::make_unique<Peer>(key, ring);
}

}  // namespace

std::vector<SrtpPeerKind> SrtpPeerKinds() {
  std::vector<SrtpPeerKind> kinds = {
      {"sluice_boringssl", true, MakeOurs<EngineKind::kBoringSsl>},
      {"libsrtp", false, Make<LibsrtpPeer>},
      {"raw_boringssl", false, Make<RawBoringSslPeer>},
  };
#if defined(__x86_64__)
  const std::vector<EngineKind> engines = UsableEngines(DetectCpuFeatures());
  if (std::find(engines.begin(), engines.end(), EngineKind::kIpsecMb) != engines.end()) {
    kinds.push_back({"sluice_mb", true, MakeOurs<EngineKind::kIpsecMb>});
    kinds.push_back({"raw_ipsec_mb", false,
                     [](const MasterKey& key, PacketRing& ring) -> std::unique_ptr<SrtpPeer> {
                       return RawIpsecMbPeer::Create(key, ring);
                     }});
  }
#endif
  return kinds;
}

}  // namespace sluice
