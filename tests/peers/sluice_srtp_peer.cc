#include "tests/peers/sluice_srtp_peer.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "srtp/packet_kind.h"
#include "srtp/verdict.h"

namespace sluice {
namespace {

std::unique_ptr<SrtpSender> MakeSender(const MasterKey& key, CryptoEngine& engine) {
  SrtpSenderOptions options;
  options.replay_window = SluiceSrtpPeer::kReplayWindow;
  absl::StatusOr<std::unique_ptr<SrtpSender>> sender = SrtpSender::Create(key, options, engine);
  SLUICE_CHECK(sender.ok());
  return *std::move(sender);
}

std::unique_ptr<SrtpReceiver> MakeReceiver(const MasterKey& key, CryptoEngine& engine) {
  SrtpReceiverOptions options;
  options.rtp_replay_window = SluiceSrtpPeer::kReplayWindow;
  absl::StatusOr<std::unique_ptr<SrtpReceiver>> receiver =
      SrtpReceiver::Create(key, options, engine);
  SLUICE_CHECK(receiver.ok());
  return *std::move(receiver);
}

}  // namespace

SluiceSrtpPeer::SluiceSrtpPeer(const MasterKey& key, PacketRing& ring,
                               std::unique_ptr<CryptoEngine> engine)
    : engine_(std::move(engine)),
      sender_(MakeSender(key, *engine_)),
      receiver_(MakeReceiver(key, *engine_)) {
  for (size_t slot = 0; slot < PacketRing::kSlots; ++slot) {
    PacketLoan* packet = &ring.packet(slot);
    protect_jobs_.push_back({sender_.get(), packet, PacketKind::kRtp, ProtectVerdict::kOk});
    unprotect_jobs_.push_back({receiver_.get(), packet, PacketKind::kRtp, UnprotectVerdict::kOk});
  }
}

bool SluiceSrtpPeer::Protect(size_t first, size_t count) {
  const absl::Span<ProtectJob> jobs = absl::MakeSpan(protect_jobs_).subspan(first, count);
  sluice::Protect(jobs, *engine_);
  bool ok = true;
  for (const ProtectJob& job : jobs) {
    ok &= job.verdict == ProtectVerdict::kOk;
  }
  return ok;
}

bool SluiceSrtpPeer::Unprotect(size_t first, size_t count) {
  const absl::Span<UnprotectJob> jobs = absl::MakeSpan(unprotect_jobs_).subspan(first, count);
  sluice::Unprotect(jobs, scratch_, *engine_);
  bool ok = true;
  for (const UnprotectJob& job : jobs) {
    ok &= job.verdict == UnprotectVerdict::kOk;
  }
  return ok;
}

}  // namespace sluice
