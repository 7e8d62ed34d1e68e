#include "srtp/live_key.h"

#include "srtp/key_derivation.h"

namespace sluice {

LiveKey::LiveKey(const MasterKey& master, const Mki& mki, const SrtpPolicy& policy,
                 CryptoEngine& engine)
    : master_(master.Clone()),
      mki_(mki),
      rate_(policy.key_derivation_rate),
      encrypts_extensions_(policy.encrypted_extensions.any()),
      rtp_{PacketKeys(master.suite(), engine), 0, 0, policy.rtp_lifetime},
      rtcp_{PacketKeys(master.suite(), engine), 0, 0, policy.rtcp_lifetime} {
  Derive(PacketKind::kRtp, 0);
  Derive(PacketKind::kRtcp, 0);
}

void LiveKey::Derive(PacketKind kind, uint64_t quotient) {
  Session& session = kind == PacketKind::kRtp ? rtp_ : rtcp_;
  session.keys.Set(DeriveSessionKeys(master_, kind, quotient));
  session.quotient = quotient;
  if (kind == PacketKind::kRtp && encrypts_extensions_) {
    header_cipher_.emplace(master_.suite(), DeriveHeaderKeys(master_, quotient));
  }
}

}  // namespace sluice
