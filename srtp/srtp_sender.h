#ifndef SRTP_SRTP_SENDER_H_
#define SRTP_SRTP_SENDER_H_

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
class SenderStreams;
struct ProtectJob;

struct SrtpSenderOptions {
  // SSRCs that may send with one key, 1..1024. An SSRC that sent is never forgotten while the key
  // lasts: if it came back it would begin again at rollover 0 and repeat the keystream of its first
  // packets (RFC 3711 section 9.1, RFC 7714 section 8.4). So one more SSRC is kTooManyStreams, not
  // an eviction, until a Rekey frees the places of those that fell silent.
  size_t max_streams = 64;
  // Packets, a power of two 64..32768: how far back a reordered packet may still be sent.
  size_t replay_window = 1024;
};

// Protects what one leg sends: one master key, any number of SSRCs up to the bound, RTP and RTCP
// (RFC 3711, RFC 7714). SRTCP is always encrypted. All memory is taken in Create and Rekey; no
// other call allocates. One thread at a time.
class SrtpSender final {
 public:
  // InvalidArgument when an option is out of its range, Unimplemented for a suite without cipher.
  static absl::StatusOr<std::unique_ptr<SrtpSender>> Create(const MasterKey& key,
                                                            const SrtpSenderOptions& options);
  ~SrtpSender();
  SrtpSender(const SrtpSender&) = delete;
  SrtpSender& operator=(const SrtpSender&) = delete;

  // From the next packet on `key` is used; rollover counters and SRTCP indices go on
  // (RFC 3711 section 3.3.1). InvalidArgument when `key` is of another suite or is the present one.
  // Nor may it be an older one of this sender, which is not checked. An SSRC which sends nothing
  // with the new key may now lose its place to a new SSRC, the longest silent first; when it comes
  // back its rollover counter and SRTCP index begin again at 0.
  absl::Status Rekey(const MasterKey& key);

 private:
  friend void Protect(absl::Span<ProtectJob> jobs);

  SrtpSender(const MasterKey& key, const SrtpSenderOptions& options);

  ProtectVerdict ProtectRtp(PacketLoan& packet);
  ProtectVerdict ProtectRtcp(PacketLoan& packet);

  MasterKey key_;
  std::unique_ptr<const PacketCipher> cipher_;
  std::unique_ptr<SenderStreams> streams_;
};

// One packet of a batch.
struct ProtectJob {
  SrtpSender* sender;
  // Protected in place; grows by tag and trailer.
  PacketLoan* packet;
  PacketKind kind;
  // Answer.
  ProtectVerdict verdict;
};

// Protects a batch that may belong to many senders, in order. Batches are the unit so that an
// engine can work on many packets at once. No allocation. Every job gets its verdict.
void Protect(absl::Span<ProtectJob> jobs);

}  // namespace sluice

#endif  // SRTP_SRTP_SENDER_H_
