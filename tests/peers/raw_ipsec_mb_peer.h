#ifndef TESTS_PEERS_RAW_IPSEC_MB_PEER_H_
#define TESTS_PEERS_RAW_IPSEC_MB_PEER_H_

#include <intel-ipsec-mb.h>

#include <cstddef>
#include <memory>

#include "srtp/master_key.h"
#include "tests/peers/packet_ring.h"
#include "tests/peers/raw_packets.h"
#include "tests/peers/srtp_peer.h"

namespace sluice {

// intel-ipsec-mb's arithmetic and nothing else, in the ways of calling it that measured fastest:
// AES-GCM by the direct call, AES-CM and HMAC-SHA1 by one synchronous burst each over all slots of
// a call, unchecked. Jobs are filled within the time that is measured, as they have to be.
class RawIpsecMbPeer final : public SrtpPeer {
 public:
  // As RawPackets. Null where the library finds no CPU that it can use.
  static std::unique_ptr<RawIpsecMbPeer> Create(const MasterKey& key, PacketRing& ring);
  ~RawIpsecMbPeer() override;

  void BeforeProtect() override { packets_.BeforeProtect(); }
  void BeforeUnprotect() override { packets_.BeforeUnprotect(); }
  [[nodiscard]] bool Protect(size_t first, size_t count) override;
  [[nodiscard]] bool Unprotect(size_t first, size_t count) override;

 private:
  // What the library wants aligned, or not shared with anything.
  struct State;

  struct FreeManager {
    void operator()(IMB_MGR* manager) const { free_mb_mgr(manager); }
  };
  using Manager = std::unique_ptr<IMB_MGR, FreeManager>;

  RawIpsecMbPeer(const MasterKey& key, PacketRing& ring, Manager best, Manager sha);

  bool Crypt(size_t first, size_t count);
  // To where the tags of protected packets stand if `in_place`, else to State's macs.
  bool Authenticate(size_t first, size_t count, bool in_place);
  void Seal(size_t slot);
  bool Open(size_t slot);

  const bool aead_;
  const bool key_of_256_;
  RawPackets packets_;
  // Of the highest level that the CPU has.
  const Manager best_;
  // With SHA instructions, which beat lanes that are mostly empty. Null where there are none.
  const Manager sha_;
  const std::unique_ptr<State> state_;
};

}  // namespace sluice

#endif  // TESTS_PEERS_RAW_IPSEC_MB_PEER_H_
