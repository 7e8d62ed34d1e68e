#ifndef SRTP_SRTP_SENDER_H_
#define SRTP_SRTP_SENDER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/key_ring.h"
#include "srtp/master_key.h"
#include "srtp/mki.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/packet_layout.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/rtp_shape.h"
#include "srtp/srtp_policy.h"
#include "srtp/stream_state.h"
#include "srtp/verdict.h"

namespace sluice {

class SealBatch;
class SenderStreams;
struct ProtectJob;

struct SrtpSenderOptions {
  // SSRCs that may send with one key, 1..1024. An SSRC that sent is never forgotten while one of
  // its keys lives: if it came back it would begin again at rollover 0 and repeat the keystream of
  // its first packets (RFC 3711 section 9.1, RFC 7714 section 8.4). So one more SSRC is
  // kTooManyStreams, not an eviction, until keys are retired and free the places of those that
  // fell silent.
  size_t max_streams = 64;
  // Packets, a power of two 64..32768: how far back a reordered packet may still be sent.
  size_t replay_window = 1024;
  // SSRCs that lost their place and whose indices go on when they come back, 1..1024; 32 bytes
  // each.
  size_t remembered_streams = 128;
  // False: SRTCP leaves readable, though authenticated (RFC 3711 section 3.4).
  bool encrypt_rtcp = true;
  // Of the first key. Its size is that of all of this sender's keys.
  Mki mki;
  SrtpPolicy policy;
};

// Protects what one leg sends: one or more master keys, any number of SSRCs up to the bound, RTP
// and RTCP (RFC 3711, RFC 7714). All memory is taken in Create, Rekey and AddKey; no other call
// allocates but for Export and Restore. One thread at a time.
class SrtpSender final {
 public:
  // InvalidArgument when an option is out of its range. `engine` outlives the sender.
  static absl::StatusOr<std::unique_ptr<SrtpSender>> Create(const MasterKey& key,
                                                            const SrtpSenderOptions& options,
                                                            CryptoEngine& engine);
  ~SrtpSender();
  SrtpSender(const SrtpSender&) = delete;
  SrtpSender& operator=(const SrtpSender&) = delete;

  // Without MKI: from the next packet on `key` is used and the present one is gone; rollover
  // counters and SRTCP indices go on (RFC 3711 section 3.3.1). InvalidArgument when `key` is of
  // another suite or is the present one; FailedPrecondition when packets carry an MKI. Nor may it
  // be an older key of this sender, which is not checked. An SSRC which sends nothing with the new
  // key may now lose its place to a new SSRC, the longest silent first; it is remembered.
  absl::Status Rekey(const MasterKey& key);

  // With MKI: `key` is ready to be sent with. As KeyRing::CheckAdd; FailedPrecondition when packets
  // carry no MKI.
  absl::Status AddKey(const MasterKey& key, const Mki& mki);
  // From the next packet on that key is used. NotFound; FailedPrecondition when packets carry no
  // MKI.
  absl::Status SendWith(const Mki& mki);
  // Wipes a key. NotFound; FailedPrecondition when it is the one that is sent with, or packets
  // carry no MKI.
  absl::Status RetireKey(const Mki& mki);

  // The present key reached a soft limit of its lifetime: it is time for a new one.
  bool rekey_due() const { return sending_->rekey_due(); }

  // Streams, most recently used first.
  std::vector<SenderStreamState> ExportStreams() const;
  // Goes on with streams of another sender that had the key which is sent with now, and others that
  // are live here. For a new sender. All or nothing: InvalidArgument when there are more than
  // max_streams, an SSRC twice, an index out of range, a margin out of range, or a key that is not
  // the present one.
  absl::Status RestoreStreams(absl::Span<const SenderStreamState> streams,
                              const RestoreMargin& margin);

  // SSRCs that were remembered and had to make room for others.
  uint64_t forgotten_streams() const;

 private:
  friend void Protect(absl::Span<ProtectJob> jobs, CryptoEngine& engine);

  SrtpSender(const MasterKey& key, const SrtpSenderOptions& options, CryptoEngine& engine);

  void UseSlot(size_t slot);
  // Decides all of a packet but its bytes, and leaves these to `batch`.
  ProtectVerdict PrepareRtp(PacketLoan& packet, SealBatch& batch);
  ProtectVerdict PrepareRtcp(PacketLoan& packet, SealBatch& batch);
  // Whether policy lets the packet go, and whether as cryptex. Changes nothing but `shape`.
  ProtectVerdict ChooseShape(const PacketLoan& packet, const RtpPacketView& view,
                             RtpShape& shape) const;

  CryptoEngine& engine_;
  const SrtpSenderOptions options_;
  const PacketLayout rtp_layout_;
  const PacketLayout rtcp_layout_;
  KeyRing keys_;
  size_t sending_slot_ = 0;
  LiveKey* sending_ = nullptr;
  std::unique_ptr<SenderStreams> streams_;
};

// One packet of a batch.
struct ProtectJob {
  SrtpSender* sender;
  // Protected in place; grows by tag and trailer, with cryptex also by an extension's header in
  // front of the payload.
  PacketLoan* packet;
  PacketKind kind;
  // Answer.
  ProtectVerdict verdict;
};

// Protects a batch of distinct packets that may belong to many senders: the result is that of one
// after the other, but the arithmetic is done for many at once. `engine` is of the kind that the
// senders' keys were made for. No allocation. Every job gets its verdict.
void Protect(absl::Span<ProtectJob> jobs, CryptoEngine& engine);

}  // namespace sluice

#endif  // SRTP_SRTP_SENDER_H_
