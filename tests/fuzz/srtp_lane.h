#ifndef TESTS_FUZZ_SRTP_LANE_H_
#define TESTS_FUZZ_SRTP_LANE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "srtp/crypto/crypto_engine.h"
#include "srtp/master_key.h"
#include "srtp/mki.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"
#include "srtp/stream_state.h"
#include "srtp/verdict.h"

namespace sluice {

// A packet on its way through a lane: what it is, and what became of it.
struct LanePacket {
  std::vector<uint8_t> bytes;
  PacketKind kind;
  // The answer to Protect, or to Unprotect.
  ProtectVerdict sent = ProtectVerdict::kOk;
  UnprotectVerdict received = UnprotectVerdict::kOk;
};

// An engine and the memory that packets need, kept from one input of a fuzzer to the next.
struct SrtpLaneMemory {
  // More than are handled together within a batch.
  static constexpr size_t kMaxBatch = 72;

  explicit SrtpLaneMemory(EngineKind kind);

  const std::unique_ptr<CryptoEngine> engine;
  PacketArena packets{kMaxBatch};
  PacketArena scratch{1};
};

// A sender and a receiver with the same options and keys. Lanes that are told alike have to answer
// alike, whatever their engine and whether they are given packets one by one or many at once.
class SrtpLane {
 public:
  // The options are possible ones. `memory` outlives the lane.
  SrtpLane(SrtpLaneMemory& memory, const MasterKey& key, const SrtpSenderOptions& sender,
           const SrtpReceiverOptions& receiver);

  // At most kMaxBatch packets, in one call; each of at most kMaxDatagramSize bytes. Packets are
  // replaced by what became of them. Stops the process when a slot is not given back, or something
  // is left in BoringSSL's error queue.
  void Protect(absl::Span<LanePacket> packets);
  // Without `scratch` there is none to be had.
  void Unprotect(absl::Span<LanePacket> packets, bool scratch);

  SrtpSender& sender() { return *sender_; }
  SrtpReceiver& receiver() { return *receiver_; }

  // New ones that have only `key` and go on with the streams of the present ones, as after a
  // restart. False, and nothing happened, when they refuse.
  bool RestartSender(const MasterKey& key, const Mki& mki, const RestoreMargin& margin);
  bool RestartReceiver(const MasterKey& key, const Mki& mki);

  // All that is known of streams, in one string that is equal where that is.
  std::string SenderState() const;
  std::string ReceiverState() const;

 private:
  SrtpLaneMemory& memory_;
  SrtpSenderOptions sender_options_;
  SrtpReceiverOptions receiver_options_;
  std::unique_ptr<SrtpSender> sender_;
  std::unique_ptr<SrtpReceiver> receiver_;
};

}  // namespace sluice

#endif  // TESTS_FUZZ_SRTP_LANE_H_
