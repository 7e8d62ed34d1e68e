#ifndef SRTP_LIVE_KEY_H_
#define SRTP_LIVE_KEY_H_

#include <cstdint>
#include <optional>

#include "srtp/crypto/crypto_engine.h"
#include "srtp/header_extension_cipher.h"
#include "srtp/key_derivation_rate.h"
#include "srtp/master_key.h"
#include "srtp/mki.h"
#include "srtp/packet_keys.h"
#include "srtp/packet_kind.h"
#include "srtp/rtp_types.h"
#include "srtp/srtp_policy.h"

namespace sluice {

// A master key in use in one direction: its session keys for RTP and RTCP, and how many packets it
// protected. Wiped at the end. Nothing but the constructor allocates. Must not outlive the engine.
class LiveKey {
 public:
  // `policy` outlives the object.
  LiveKey(const MasterKey& master, const Mki& mki, const SrtpPolicy& policy, CryptoEngine& engine);
  LiveKey(const LiveKey&) = delete;
  LiveKey& operator=(const LiveKey&) = delete;

  const MasterKey& master() const { return master_; }
  const Mki& mki() const { return mki_; }

  // Whether the keys for a packet with that index are those last used, so that KeysFor changes none
  // that somebody may hold. Always so without a key derivation rate.
  bool HasKeysFor(PacketKind kind, uint64_t index) const {
    return rate_.Quotient(index) == session(kind).quotient;
  }
  // Session keys for a packet with that index; with a key derivation rate they may have to be
  // derived first, about half a microsecond (RFC 3711 section 4.3.1).
  const PacketKeys& KeysFor(PacketKind kind, uint64_t index) {
    Session& session = kind == PacketKind::kRtp ? rtp_ : rtcp_;
    if (rate_.Quotient(index) != session.quotient) {
      Derive(kind, rate_.Quotient(index));
    }
    return session.keys;
  }
  // Goes with the RTP keys last asked for. Null without encrypted extensions.
  const HeaderExtensionCipher* header_cipher() const {
    return header_cipher_.has_value() ? &*header_cipher_ : nullptr;
  }

  // Packets protected, or opened, with it.
  uint64_t used(PacketKind kind) const { return session(kind).used; }
  void CountUse(PacketKind kind) { ++(kind == PacketKind::kRtp ? rtp_ : rtcp_).used; }
  // No packet of that kind may be protected or opened any more (RFC 3711 section 9.2).
  bool expired(PacketKind kind) const { return session(kind).used >= session(kind).lifetime.hard; }
  // A soft limit is reached.
  bool rekey_due() const {
    return rtp_.used >= rtp_.lifetime.soft || rtcp_.used >= rtcp_.lifetime.soft;
  }

 private:
  struct Session {
    PacketKeys keys;
    // Of the index that the keys are derived for, by the key derivation rate.
    uint64_t quotient;
    uint64_t used;
    KeyLifetime lifetime;
  };

  const Session& session(PacketKind kind) const { return kind == PacketKind::kRtp ? rtp_ : rtcp_; }
  void Derive(PacketKind kind, uint64_t quotient);

  const MasterKey master_;
  const Mki mki_;
  const KeyDerivationRate rate_;
  const bool encrypts_extensions_;
  Session rtp_;
  Session rtcp_;
  std::optional<HeaderExtensionCipher> header_cipher_;
};

}  // namespace sluice

#endif  // SRTP_LIVE_KEY_H_
