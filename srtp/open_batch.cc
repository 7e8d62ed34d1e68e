#include "srtp/open_batch.h"

#include "base/check.h"
#include "srtp/live_key.h"
#include "srtp/receiver_streams.h"
#include "srtp/stream_context.h"

namespace sluice {

void OpenBatch::Run(absl::Span<UnprotectJob> jobs) {
  SLUICE_DCHECK(jobs.size() <= kCapacity);
  for (UnprotectJob& job : jobs) {
    Assume(job);
  }
  if (mac_count_ > 0) {
    engine_.Authenticate({mac_jobs_, mac_count_});
  }
  for (size_t i = 0; i < waiting_count_; ++i) {
    Conclude(slots_[i].waiting);
  }
  if (crypt_count_ > 0) {
    engine_.Crypt({crypt_jobs_, crypt_count_});
  }
  waiting_count_ = mac_count_ = crypt_count_ = 0;
}

void OpenBatch::Assume(UnprotectJob& job) {
  SrtpReceiver& receiver = *job.receiver;
  if (receiver.suite_.aead() || receiver.options_.policy.key_derivation_rate.packets() != 0) {
    // So are all packets of such a receiver: they stay in order.
    receiver.OpenAlone(job, scratch_, engine_);
    return;
  }
  // In its place already: to be copied right after it was written would make it wait for that.
  Waiting& waiting = *new (&slots_[waiting_count_].waiting) Waiting(job);
  SrtpReceiver::Parsed& parsed = waiting.parsed;
  job.verdict = receiver.Parse(*job.packet, job.kind, parsed);
  if (job.verdict != UnprotectVerdict::kOk) {
    return;
  }
  ++waiting_count_;
  if (parsed.shape.cryptex || parsed.key->expired(job.kind)) {
    return;
  }
  if (job.kind == PacketKind::kRtp) {
    AssumeRtp(waiting);
  } else {
    AssumeRtcp(waiting);
  }
}

void OpenBatch::AssumeRtp(Waiting& waiting) {
  SrtpReceiver& receiver = *waiting.job->receiver;
  const ReceiverStream::RtpCheck check =
      receiver.streams_->Look(waiting.parsed.ssrc).CheckRtp(waiting.parsed.sequence);
  if (check.verdict != UnprotectVerdict::kOk) {
    return;
  }
  waiting.rtp_index = check.index;
  waiting.portion = AuthenticatedPortion::OfRtp(receiver.rtp_layout_, waiting.job->packet->bytes(),
                                                RocOf(check.index));
  AddMac(waiting, waiting.parsed.key->KeysFor(PacketKind::kRtp, check.index.value()));
}

void OpenBatch::AssumeRtcp(Waiting& waiting) {
  SrtpReceiver& receiver = *waiting.job->receiver;
  const SrtcpIndex index = waiting.parsed.word.index;
  if (receiver.streams_->Look(waiting.parsed.ssrc).CheckRtcp(index).verdict !=
      UnprotectVerdict::kOk) {
    return;
  }
  waiting.portion =
      AuthenticatedPortion::OfRtcp(receiver.rtcp_layout_, waiting.job->packet->bytes());
  AddMac(waiting, waiting.parsed.key->KeysFor(PacketKind::kRtcp, index.value()));
}

void OpenBatch::AddMac(Waiting& waiting, const PacketKeys& keys) {
  waiting.assumed = true;
  waiting.mac = macs_[mac_count_];
  mac_jobs_[mac_count_] = {keys.mac(), waiting.portion.data(), waiting.portion.size(),
                           macs_[mac_count_]};
  ++mac_count_;
}

void OpenBatch::Conclude(Waiting& waiting) {
  UnprotectJob& job = *waiting.job;
  if (waiting.assumed) {
    // In any case: it gives the packet its bytes back.
    const bool verified = waiting.portion.Verify(waiting.mac);
    if (job.kind == PacketKind::kRtp ? ConcludeRtp(waiting, verified)
                                     : ConcludeRtcp(waiting, verified)) {
      return;
    }
  }
  job.verdict = job.receiver->Open(*job.packet, job.kind, waiting.parsed, scratch_, engine_);
}

bool OpenBatch::ConcludeRtp(Waiting& waiting, bool verified) {
  UnprotectJob& job = *waiting.job;
  SrtpReceiver& receiver = *job.receiver;
  const SrtpReceiver::Parsed& parsed = waiting.parsed;
  const ReceiverStream& stream = receiver.streams_->Look(parsed.ssrc);
  const ReceiverStream::RtpCheck check = stream.CheckRtp(parsed.sequence);
  if (check.verdict != UnprotectVerdict::kOk || check.index != waiting.rtp_index ||
      parsed.key->expired(PacketKind::kRtp)) {
    return false;
  }
  if (!verified) {
    job.verdict = UnprotectVerdict::kAuthFailed;
    return stream.rollover_known() && parsed.other_key == nullptr;
  }
  const bool accepted = receiver.streams_->Use(parsed.ssrc).AcceptRtp(check);
  SLUICE_CHECK(accepted);
  AddDecryption(DecryptionOfRtp(parsed.key->KeysFor(PacketKind::kRtp, check.index.value()),
                                receiver.rtp_layout_, job.packet->bytes(), parsed.shape,
                                parsed.ssrc, check.index, vectors_[crypt_count_]));
  receiver.FinishRtp(*job.packet, parsed, *parsed.key, check.index);
  job.verdict = UnprotectVerdict::kOk;
  return true;
}

bool OpenBatch::ConcludeRtcp(Waiting& waiting, bool verified) {
  UnprotectJob& job = *waiting.job;
  SrtpReceiver& receiver = *job.receiver;
  const SrtpReceiver::Parsed& parsed = waiting.parsed;
  const SrtcpIndex index = parsed.word.index;
  const ReceiverStream::RtcpCheck check = receiver.streams_->Look(parsed.ssrc).CheckRtcp(index);
  if (check.verdict != UnprotectVerdict::kOk || parsed.key->expired(PacketKind::kRtcp)) {
    return false;
  }
  if (!verified) {
    job.verdict = UnprotectVerdict::kAuthFailed;
    return parsed.other_key == nullptr;
  }
  const bool accepted = receiver.streams_->Use(parsed.ssrc).AcceptRtcp(check);
  SLUICE_CHECK(accepted);
  AddDecryption(DecryptionOfRtcp(parsed.key->KeysFor(PacketKind::kRtcp, index.value()),
                                 receiver.rtcp_layout_, job.packet->bytes(), parsed.ssrc,
                                 parsed.word, vectors_[crypt_count_]));
  receiver.FinishRtcp(*job.packet, *parsed.key);
  job.verdict = UnprotectVerdict::kOk;
  return true;
}

void OpenBatch::AddDecryption(const CounterModeJob& job) {
  if (job.key != nullptr) {
    crypt_jobs_[crypt_count_++] = job;
  }
}

void Unprotect(absl::Span<UnprotectJob> jobs, PacketArena& scratch, CryptoEngine& engine) {
  if (jobs.size() == 1) {
    jobs[0].receiver->OpenAlone(jobs[0], scratch, engine);
    return;
  }
  OpenBatch batch(scratch, engine);
  while (!jobs.empty()) {
    const size_t count = jobs.size() < OpenBatch::kCapacity ? jobs.size() : OpenBatch::kCapacity;
    batch.Run(jobs.first(count));
    jobs.remove_prefix(count);
  }
}

}  // namespace sluice
