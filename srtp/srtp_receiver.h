#ifndef SRTP_SRTP_RECEIVER_H_
#define SRTP_SRTP_RECEIVER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/esrtcp_word.h"
#include "srtp/key_ring.h"
#include "srtp/master_key.h"
#include "srtp/mki.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/packet_layout.h"
#include "srtp/rtp_shape.h"
#include "srtp/rtp_types.h"
#include "srtp/srtp_policy.h"
#include "srtp/stream_state.h"
#include "srtp/verdict.h"

namespace sluice {

class OpenBatch;
class ReceiverStreams;
struct UnprotectJob;

struct SrtpReceiverOptions {
  // SSRCs with a context at the same time, 1..1024; the least recently used goes first. A context
  // is made only after a packet of its SSRC authenticated.
  size_t max_streams = 64;
  // Packets, powers of two 64..32768 (RFC 3711 section 3.3.2 asks for at least 64).
  size_t rtp_replay_window = 1024;
  size_t rtcp_replay_window = 128;
  // SSRCs that lost their place and whose indices go on when they come back, 1..1024; 32 bytes
  // each.
  size_t remembered_streams = 128;
  // Take SRTCP packets whose E flag is 0. They are authenticated all the same.
  bool accept_unencrypted_rtcp = false;
  // Of the first key. Its size is that of all of this receiver's keys.
  Mki mki;
  SrtpPolicy policy;
};

// Opens what one leg receives: one or more master keys, any number of SSRCs, RTP and RTCP
// (RFC 3711, RFC 7714). Bytes that are not authenticated change nothing. All memory is taken in
// Create, Rekey and AddKey; no other call but Export and Restore allocates, on the thread that
// called Create or one that called PrepareOpensslErrors. One thread at a time.
class SrtpReceiver final {
 public:
  // InvalidArgument when an option is out of its range. `engine` outlives the receiver.
  static absl::StatusOr<std::unique_ptr<SrtpReceiver>> Create(const MasterKey& key,
                                                              const SrtpReceiverOptions& options,
                                                              CryptoEngine& engine);
  ~SrtpReceiver();
  SrtpReceiver(const SrtpReceiver&) = delete;
  SrtpReceiver& operator=(const SrtpReceiver&) = delete;

  // Without MKI: `key` becomes the current key and the present one stays valid until
  // RetirePreviousKey or the next Rekey, for packets on their way; one index and one replay window
  // serve both, rollover counters go on (RFC 3711 section 3.3.1). InvalidArgument when `key` is of
  // another suite or is a live one; FailedPrecondition when packets carry an MKI.
  absl::Status Rekey(const MasterKey& key);
  // Packets protected with the key before the last Rekey are no longer opened; wipes it.
  void RetirePreviousKey();

  // With MKI: packets that name it are opened with `key`, beside those of the other keys. As
  // KeyRing::CheckAdd; FailedPrecondition when packets carry no MKI.
  absl::Status AddKey(const MasterKey& key, const Mki& mki);
  // Wipes a key. NotFound; FailedPrecondition when it is the last one, or packets carry no MKI.
  absl::Status RetireKey(const Mki& mki);

  // A live key reached a soft limit of its lifetime: it is time for a new one.
  bool rekey_due() const;

  // Streams, most recently used first.
  std::vector<ReceiverStreamState> ExportStreams() const;
  // Goes on with streams of another receiver that had a key which is live here. For a new receiver.
  // All or nothing: InvalidArgument when there are more than max_streams, an SSRC twice, an index
  // out of range, or a key that is not live.
  absl::Status RestoreStreams(absl::Span<const ReceiverStreamState> streams);

  // SSRCs that were remembered and had to make room for others.
  uint64_t forgotten_streams() const;

 private:
  friend class OpenBatch;
  friend void Unprotect(absl::Span<UnprotectJob> jobs, PacketArena& scratch, CryptoEngine& engine);

  // What the header of a packet says; nothing of it is authenticated.
  struct Parsed {
    Ssrc ssrc;
    // RTP.
    SequenceNumber sequence;
    RtpShape shape;
    // RTCP.
    EsrtcpWord word;
    // The key that is to be tried first, and the one after it or null.
    LiveKey* key;
    LiveKey* other_key;

    // Null when all were tried.
    LiveKey* KeyAfter(const LiveKey* tried) const { return tried == key ? other_key : nullptr; }
  };
  static constexpr Parsed kNothing = {
      Ssrc(0), SequenceNumber(0), {0, 0, false}, {false, SrtcpIndex(0)}, nullptr, nullptr};

  SrtpReceiver(const MasterKey& key, const SrtpReceiverOptions& options, CryptoEngine& engine);

  const PacketLayout& layout(PacketKind kind) const {
    return kind == PacketKind::kRtp ? rtp_layout_ : rtcp_layout_;
  }
  // Judges all that needs no stream and no cryptography. Changes nothing but `parsed`.
  UnprotectVerdict Parse(const PacketLoan& packet, PacketKind kind, Parsed& parsed) const;
  // "Here" is inline where it is called.
  UnprotectVerdict ParseHere(const PacketLoan& packet, PacketKind kind, Parsed& parsed) const;
  UnprotectVerdict ParseRtp(const PacketLoan& packet, Parsed& parsed) const;
  UnprotectVerdict ParseRtcp(const PacketLoan& packet, Parsed& parsed) const;
  // Opens one packet from beginning to end, without a batch.
  void OpenAlone(UnprotectJob& job, PacketArena& scratch, CryptoEngine& engine);
  // The same once it is parsed, trying whatever may be tried.
  UnprotectVerdict Open(PacketLoan& packet, PacketKind kind, const Parsed& parsed,
                        PacketArena& scratch, CryptoEngine& engine);
  UnprotectVerdict OpenRtp(PacketLoan& packet, const Parsed& parsed, PacketArena& scratch,
                           CryptoEngine& engine);
  // With all keys, and all indices that are possible.
  UnprotectVerdict SearchRtp(PacketLoan& packet, const Parsed& parsed, PacketArena& scratch,
                             CryptoEngine& engine);
  // With one of each. Only decrypts.
  UnprotectVerdict TryRtp(PacketLoan& packet, const Parsed& parsed, LiveKey& key, PacketIndex index,
                          CryptoEngine& engine);
  UnprotectVerdict OpenRtcp(PacketLoan& packet, const Parsed& parsed, PacketArena& scratch,
                            CryptoEngine& engine);
  // What is left to do with a packet that was authenticated, accepted and decrypted.
  void FinishRtp(PacketLoan& packet, const Parsed& parsed, LiveKey& key, PacketIndex index) const;
  void FinishRtpHere(PacketLoan& packet, const Parsed& parsed, LiveKey& key,
                     PacketIndex index) const;
  void FinishRtcp(PacketLoan& packet, LiveKey& key) const;

  CryptoEngine& engine_;
  const SrtpReceiverOptions options_;
  const CipherSuite& suite_;
  const PacketLayout rtp_layout_;
  const PacketLayout rtcp_layout_;
  KeyRing keys_;
  // With MKI: one of the keys.
  size_t current_slot_ = 0;
  // Without MKI. KeyRing::kNone when there is no previous key.
  size_t previous_slot_ = KeyRing::kNone;
  std::unique_ptr<ReceiverStreams> streams_;
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

// Opens a batch of distinct packets that may belong to many receivers: the result is that of one
// after the other, but the arithmetic is done for many at once. `scratch` lends a slot where a
// packet must be tried more than once, and gets it back before the call returns. `engine` is of the
// kind that the receivers' keys were made for. No allocation. Every job gets its verdict.
void Unprotect(absl::Span<UnprotectJob> jobs, PacketArena& scratch, CryptoEngine& engine);

}  // namespace sluice

#endif  // SRTP_SRTP_RECEIVER_H_
