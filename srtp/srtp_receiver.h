#ifndef SRTP_SRTP_RECEIVER_H_
#define SRTP_SRTP_RECEIVER_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "srtp/master_key.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/verdict.h"

namespace sluice {

class PacketCipher;
class ReceiverStreams;
struct UnprotectJob;

struct SrtpReceiverOptions {
  // SSRCs with a context at the same time, 1..1024; the least recently used goes first. A context
  // is made only after a packet of its SSRC authenticated.
  size_t max_streams = 64;
  // Packets, powers of two 64..32768 (RFC 3711 section 3.3.2 asks for at least 64).
  size_t rtp_replay_window = 1024;
  size_t rtcp_replay_window = 128;
  // Take SRTCP packets whose E flag is 0. They are authenticated all the same.
  bool accept_unencrypted_rtcp = false;
};

// Opens what one leg receives: one master key (two while an old one is being retired), any number
// of SSRCs, RTP and RTCP (RFC 3711, RFC 7714). Bytes that are not authenticated change nothing. All
// memory is taken in Create and Rekey; no other call allocates, on the thread that called Create or
// one that called PrepareOpensslErrors. One thread at a time.
class SrtpReceiver final {
 public:
  // InvalidArgument when an option is out of its range, Unimplemented for a suite without cipher.
  static absl::StatusOr<std::unique_ptr<SrtpReceiver>> Create(const MasterKey& key,
                                                              const SrtpReceiverOptions& options);
  ~SrtpReceiver();
  SrtpReceiver(const SrtpReceiver&) = delete;
  SrtpReceiver& operator=(const SrtpReceiver&) = delete;

  // `key` becomes the current key and the present one stays valid until RetirePreviousKey or the
  // next Rekey, for packets on their way; one index and one replay window serve both, rollover
  // counters go on (RFC 3711 section 3.3.1). InvalidArgument when `key` is of another suite or is
  // the present one.
  absl::Status Rekey(const MasterKey& key);
  // Packets protected with the key before the last Rekey are no longer opened; wipes it.
  void RetirePreviousKey();

 private:
  friend void Unprotect(absl::Span<UnprotectJob> jobs, PacketArena& scratch);

  SrtpReceiver(const MasterKey& key, const SrtpReceiverOptions& options);

  UnprotectVerdict UnprotectRtp(PacketLoan& packet, PacketArena& scratch);
  UnprotectVerdict UnprotectRtcp(PacketLoan& packet, PacketArena& scratch);
  // Calls `open(cipher)` with the current key and, if it gives false, with the previous one.
  template <typename Open>
  UnprotectVerdict TryKeys(PacketLoan& packet, PacketArena& scratch, Open open);

  MasterKey key_;
  std::unique_ptr<const PacketCipher> cipher_;
  // Null when there is none.
  std::unique_ptr<const PacketCipher> previous_cipher_;
  std::unique_ptr<ReceiverStreams> streams_;
  const bool accept_unencrypted_rtcp_;
};

// One packet of a batch.
struct UnprotectJob {
  SrtpReceiver* receiver;
  // Opened in place; shrinks by tag and trailer.
  PacketLoan* packet;
  PacketKind kind;
  // Answer.
  UnprotectVerdict verdict;
};

// Opens a batch that may belong to many receivers, in order. No allocation; `scratch` lends a slot
// where a packet must be tried with two keys, and gets it back before the call returns. Every job
// gets its verdict.
void Unprotect(absl::Span<UnprotectJob> jobs, PacketArena& scratch);

}  // namespace sluice

#endif  // SRTP_SRTP_RECEIVER_H_
