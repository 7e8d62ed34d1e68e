#ifndef TESTS_PEERS_RAW_PACKETS_H_
#define TESTS_PEERS_RAW_PACKETS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/byte_order.h"
#include "srtp/cipher_suite.h"
#include "srtp/key_derivation.h"
#include "srtp/master_key.h"
#include "tests/peers/packet_ring.h"

namespace sluice {

// Packets of a ring made ready for arithmetic alone: initial vectors built, the ROC behind what
// HMAC authenticates, received tags taken off. So a peer that uses it measures what no
// implementation of SRTP on the same library can be faster than.
class RawPackets {
 public:
  static constexpr size_t kVectorSize = 16;

  struct alignas(64) Packet {
    // Counter block of AES-CM (RFC 3711 section 4.1.1), or IV of AES-GCM in the first 12 bytes
    // (RFC 7714 section 8.1).
    std::array<uint8_t, kVectorSize> vector;
    // As received.
    std::array<uint8_t, kMaxTagSize> tag;
    uint8_t* header;

    uint8_t* payload() const { return header + PacketRing::kHeaderSize; }
  };

  // AES-CM with tags of 80 bits, or AES-GCM. `ring` outlives the object. Allocates.
  RawPackets(const MasterKey& key, PacketRing& ring);

  // As SrtpPeer's. Packets have their protected, or plain, size already.
  void BeforeProtect();
  void BeforeUnprotect();

  const Packet& packet(size_t slot) const { return (*packets_)[slot]; }
  const SessionKeys& keys() const { return keys_; }
  size_t payload_size() const { return payload_size_; }
  // Header, payload and ROC (RFC 3711 section 4.2).
  size_t authenticated_size() const { return PacketRing::kHeaderSize + payload_size_ + 4; }
  // Where the tag of a protected packet stands, and the ROC before that.
  uint8_t* payload_end(size_t slot) const { return packet(slot).payload() + payload_size_; }

  // Whether `computed` begins with the received tag of 80 bits.
  bool MacMatches(size_t slot, const uint8_t* computed) const {
    const uint8_t* tag = packet(slot).tag.data();
    return ((LoadBe64(computed) ^ LoadBe64(tag)) |
            static_cast<uint64_t>(LoadBe16(computed + 8) ^ LoadBe16(tag + 8))) == 0;
  }
  // Whether it is the received tag of 128 bits.
  bool GcmTagMatches(size_t slot, const uint8_t* computed) const {
    const uint8_t* tag = packet(slot).tag.data();
    return ((LoadBe64(computed) ^ LoadBe64(tag)) | (LoadBe64(computed + 8) ^ LoadBe64(tag + 8))) ==
           0;
  }

 private:
  void BuildVector(size_t slot);
  void StoreRoc(size_t slot);

  PacketRing& ring_;
  const CipherSuite& suite_;
  const SessionKeys keys_;
  const size_t payload_size_;
  const std::unique_ptr<std::array<Packet, PacketRing::kSlots>> packets_;
};

}  // namespace sluice

#endif  // TESTS_PEERS_RAW_PACKETS_H_
