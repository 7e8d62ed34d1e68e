#ifndef SRTP_SRTP_SENDER_H_
#define SRTP_SRTP_SENDER_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "srtp/master_key.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/verdict.h"

namespace sluice {

struct SrtpSenderOptions {
  // SSRCs with a context at the same time, 1..1024; the least recently used goes first. An evicted
  // SSRC is remembered by nothing, so the bound must exceed what really sends at the same time.
  size_t max_streams = 64;
  // Packets, a power of two 64..32768: how far back a reordered packet may still be sent.
  size_t replay_window = 1024;
};

// Protects what one leg sends: one master key, any number of SSRCs, RTP and RTCP (RFC 3711,
// RFC 7714). All memory is taken in Create and Rekey; no other call allocates. One thread at a time.
class SrtpSender {
 public:
  static absl::StatusOr<std::unique_ptr<SrtpSender>> Create(const MasterKey& key,
                                                            const SrtpSenderOptions& options);
  virtual ~SrtpSender() = default;

  // From the next packet on `key` is used; rollover counters and SRTCP indices go on
  // (RFC 3711 section 3.3.1). InvalidArgument when `key` is of another suite or is the present one.
  virtual absl::Status Rekey(const MasterKey& key) = 0;
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

// Protects a batch that may belong to many senders, in order. Batches are the unit so that an engine
// can work on many packets at once. No allocation. Every job gets its verdict.
void Protect(absl::Span<ProtectJob> jobs);

}  // namespace sluice

#endif  // SRTP_SRTP_SENDER_H_
