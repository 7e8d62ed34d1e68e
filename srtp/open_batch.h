#ifndef SRTP_OPEN_BATCH_H_
#define SRTP_OPEN_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <new>

#include "absl/types/span.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/open_packet.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_keys.h"
#include "srtp/srtp_receiver.h"

namespace sluice {

// Opens many packets with HMAC suites at once, with the result of one after the other. It assumes
// of each what is most likely (the nearest index, the current key), has all tags computed together,
// and then concludes in order: where the assumption still holds the tag decides, and where earlier
// packets of the batch changed what the stream expects, or something else may be tried, the packet
// is opened by itself. What authenticated is decrypted together.
//
// AEAD suites gain nothing from that and are opened one after the other; so are packets with rare
// options (a key derivation rate, cryptex). Lives on the stack for one batch; nothing here
// allocates.
class OpenBatch {
 public:
  static constexpr size_t kCapacity = 64;

  OpenBatch(PacketArena& scratch, CryptoEngine& engine) : scratch_(scratch), engine_(engine) {}
  OpenBatch(const OpenBatch&) = delete;
  OpenBatch& operator=(const OpenBatch&) = delete;

  // At most kCapacity jobs.
  void Run(absl::Span<UnprotectJob> jobs);

 private:
  // A packet that waits for its turn.
  struct Waiting {
    explicit Waiting(UnprotectJob& its_job) : job(&its_job) {}

    UnprotectJob* job;
    SrtpReceiver::Parsed parsed = SrtpReceiver::kNothing;
    // Whether something was assumed; the rest is set if so.
    bool assumed = false;
    PacketIndex rtp_index{0};
    AuthenticatedPortion portion;
    const uint8_t* mac;
  };
  // Memory that is not initialised before it is needed: most batches are small.
  union Slot {
    Slot() {}
    Waiting waiting;
  };

  void Assume(UnprotectJob& job);
  void AssumeRtp(Waiting& waiting);
  void AssumeRtcp(Waiting& waiting);
  void AddMac(Waiting& waiting, const PacketKeys& keys);
  void Conclude(Waiting& waiting);
  // The packet's verdict by the assumption; false when that does not decide it.
  bool ConcludeRtp(Waiting& waiting, bool verified);
  bool ConcludeRtcp(Waiting& waiting, bool verified);
  void AddDecryption(const CounterModeJob& job);

  PacketArena& scratch_;
  CryptoEngine& engine_;
  size_t waiting_count_ = 0;
  size_t mac_count_ = 0;
  size_t crypt_count_ = 0;
  // The first so many of each are set.
  Slot slots_[kCapacity];
  MacJob mac_jobs_[kCapacity];
  uint8_t macs_[kCapacity][kMacSize];
  InitialVector vectors_[kCapacity];
  CounterModeJob crypt_jobs_[kCapacity];
};

}  // namespace sluice

#endif  // SRTP_OPEN_BATCH_H_
