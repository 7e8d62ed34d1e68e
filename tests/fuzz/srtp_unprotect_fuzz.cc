// Any bytes to an SRTP receiver of any suite. What does not open changes nothing, what opens opens
// once.
//
// The first byte says what the rest is for:
//   bits 0-1  suite, in the order of kCipherSuites
//   bit 2     RTCP instead of RTP
//   bit 3     the receiver is being rekeyed, and the packet is of the previous key
//   bit 4     unencrypted SRTCP is accepted
//   bit 5     the rest is a plain packet, to be protected and damaged before it is opened; else it
//   is
//             what came from the network

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "base/testing/seeded_random.h"
#include "srtp/cipher_suite.h"
#include "srtp/crypto/openssl_error.h"
#include "srtp/master_key.h"
#include "srtp/packet_arena.h"
#include "srtp/packet_kind.h"
#include "srtp/srtp_receiver.h"
#include "srtp/srtp_sender.h"
#include "srtp/verdict.h"

namespace sluice {
namespace {

class Target {
 public:
  explicit Target(uint8_t choice)
      : suite_(kCipherSuites[choice & 3]),
        kind_((choice & 4) != 0 ? PacketKind::kRtcp : PacketKind::kRtp) {
    // The same keys for every input.
    SeededRandom random(0);
    const MasterKey key = MasterKey::Generate(suite_.id, random);
    SrtpReceiverOptions options;
    options.max_streams = 2;
    options.rtp_replay_window = 64;
    options.rtcp_replay_window = 64;
    options.accept_unencrypted_rtcp = (choice & 16) != 0;
    receiver_ = *SrtpReceiver::Create(key, options);
    sender_ = *SrtpSender::Create(key, {});
    if ((choice & 8) != 0) {
      SLUICE_CHECK(receiver_->Rekey(MasterKey::Generate(suite_.id, random)).ok());
    }
  }

  // Opens what came from the network, twice.
  void Receive(absl::Span<const uint8_t> wire) {
    std::vector<uint8_t> first;
    const UnprotectVerdict verdict = Unprotected(wire, first);
    std::vector<uint8_t> second;
    const UnprotectVerdict again = Unprotected(wire, second);
    if (verdict == UnprotectVerdict::kOk) {
      SLUICE_CHECK(first.size() < wire.size());
      SLUICE_CHECK(again == UnprotectVerdict::kReplayed);
      SLUICE_CHECK(absl::MakeConstSpan(second) == wire);
      return;
    }
    SLUICE_CHECK(again == verdict);
    SLUICE_CHECK(first == second);
    SLUICE_CHECK(first.size() == wire.size());
    if (verdict != UnprotectVerdict::kAuthFailed || !suite_.aead()) {
      SLUICE_CHECK(absl::MakeConstSpan(first) == wire);
    }
  }

  void ProtectAndReceive(absl::Span<const uint8_t> plain) {
    PacketLoan packet = Load(plain);
    ProtectJob job{sender_.get(), &packet, kind_, ProtectVerdict::kMalformed};
    Protect(absl::MakeSpan(&job, 1));
    if (job.verdict != ProtectVerdict::kOk) {
      SLUICE_CHECK(absl::MakeConstSpan(packet.bytes()) == plain);
      return;
    }
    const std::vector<uint8_t> wire(packet.bytes().begin(), packet.bytes().end());
    std::vector<uint8_t> out;
    // One bit, somewhere that depends on the packet: never opens, and leaves the way free.
    std::vector<uint8_t> damaged = wire;
    damaged[wire.back() % wire.size()] ^= static_cast<uint8_t>(1 << (wire.front() % 8));
    SLUICE_CHECK(Unprotected(damaged, out) != UnprotectVerdict::kOk);
    SLUICE_CHECK(Unprotected(wire, out) == UnprotectVerdict::kOk);
    SLUICE_CHECK(absl::MakeConstSpan(out) == plain);
    SLUICE_CHECK(Unprotected(wire, out) == UnprotectVerdict::kReplayed);
  }

 private:
  PacketLoan Load(absl::Span<const uint8_t> bytes) {
    PacketLoan packet = arena_.Lend();
    SLUICE_CHECK(packet && packet.Resize(bytes.size()));
    CopyBytes(packet.bytes(), bytes);
    return packet;
  }

  UnprotectVerdict Unprotected(absl::Span<const uint8_t> wire, std::vector<uint8_t>& out) {
    PacketLoan packet = Load(wire);
    UnprotectJob job{receiver_.get(), &packet, kind_, UnprotectVerdict::kMalformed};
    Unprotect(absl::MakeSpan(&job, 1), scratch_);
    SLUICE_CHECK(scratch_.free() == 1);
    SLUICE_CHECK(!HasOpensslErrors());
    out.assign(packet.bytes().begin(), packet.bytes().end());
    return job.verdict;
  }

  const CipherSuite& suite_;
  const PacketKind kind_;
  PacketArena arena_{2};
  PacketArena scratch_{1};
  std::unique_ptr<SrtpReceiver> receiver_;
  std::unique_ptr<SrtpSender> sender_;
};

}  // namespace
}  // namespace sluice

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) {
    return 0;
  }
  const absl::Span<const uint8_t> rest =
      absl::MakeConstSpan(data + 1, std::min(size - 1, sluice::kMaxDatagramSize));
  sluice::Target target(data[0]);
  if ((data[0] & 32) != 0) {
    target.ProtectAndReceive(rest);
  } else {
    target.Receive(rest);
  }
  return 0;
}
