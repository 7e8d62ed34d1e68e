#include "srtp/srtp_sender.h"

#include <optional>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "srtp/cryptex.h"
#include "srtp/esrtcp_word.h"
#include "srtp/key_id.h"
#include "srtp/live_key.h"
#include "srtp/packet_index.h"
#include "srtp/replay_window.h"
#include "srtp/rtcp_packet_view.h"
#include "srtp/rtp_types.h"
#include "srtp/seal_batch.h"
#include "srtp/sender_streams.h"
#include "srtp/stream_context.h"

namespace sluice {
namespace {

constexpr size_t kMaxStreams = StreamTable<SenderStream>::kMaxCapacity;

absl::Status CheckCount(absl::string_view name, size_t count) {
  if (count < 1 || count > kMaxStreams) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is ", count, ", must be 1..", kMaxStreams));
  }
  return absl::OkStatus();
}

absl::Status CheckOptions(const SrtpSenderOptions& options) {
  if (absl::Status status = CheckCount("max_streams", options.max_streams); !status.ok()) {
    return status;
  }
  if (absl::Status status = CheckCount("remembered_streams", options.remembered_streams);
      !status.ok()) {
    return status;
  }
  if (!ReplayWindow::IsValidSize(options.replay_window)) {
    return absl::InvalidArgumentError(
        absl::StrCat("replay_window is ", options.replay_window, ", must be a power of two ",
                     ReplayWindow::kMinSize, "..", ReplayWindow::kMaxSize));
  }
  return CheckPolicy(options.policy);
}

absl::Status CheckMargin(const RestoreMargin& margin) {
  if (margin.rtp > RestoreMargin::kMaxRtp || margin.rtcp > RestoreMargin::kMaxRtcp) {
    return absl::InvalidArgumentError(absl::StrCat(
        "margin is ", margin.rtp, " RTP and ", margin.rtcp, " RTCP packets, must be at most ",
        RestoreMargin::kMaxRtp, " and ", RestoreMargin::kMaxRtcp));
  }
  return absl::OkStatus();
}

absl::Status CheckState(const SenderStreamState& state, KeyId key) {
  if (state.key != key) {
    return absl::InvalidArgumentError(
        absl::StrCat("stream ", state.ssrc.value(), " was sent with another key"));
  }
  if (state.next_rtcp_index > kMaxSrtcpIndex.value() ||
      (state.rtp.has_value() && state.rtp->highest > kMaxPacketIndex.value())) {
    return absl::InvalidArgumentError(
        absl::StrCat("stream ", state.ssrc.value(), " has an index out of range"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<SrtpSender>> SrtpSender::Create(const MasterKey& key,
                                                               const SrtpSenderOptions& options,
                                                               CryptoEngine& engine) {
  if (absl::Status status = CheckOptions(options); !status.ok()) {
    return status;
  }
  return std::unique_ptr<SrtpSender>(new SrtpSender(key, options, engine));
}

SrtpSender::SrtpSender(const MasterKey& key, const SrtpSenderOptions& options, CryptoEngine& engine)
    : engine_(engine),
      options_(options),
      rtp_layout_(LayoutOf(key.suite(), PacketKind::kRtp, options.mki.size())),
      rtcp_layout_(LayoutOf(key.suite(), PacketKind::kRtcp, options.mki.size())),
      streams_(std::make_unique<SenderStreams>(options.max_streams, options.replay_window,
                                               options.remembered_streams)) {
  UseSlot(keys_.Add(std::make_unique<LiveKey>(key, options.mki, options_.policy, engine)));
}

SrtpSender::~SrtpSender() = default;

void SrtpSender::UseSlot(size_t slot) {
  sending_slot_ = slot;
  sending_ = keys_.key(slot);
}

absl::Status SrtpSender::Rekey(const MasterKey& key) {
  if (!options_.mki.empty()) {
    return absl::FailedPreconditionError("packets carry an MKI: add a key with its own");
  }
  if (absl::Status status = keys_.CheckAdd(key, options_.mki); !status.ok()) {
    return status;
  }
  auto added = std::make_unique<LiveKey>(key, options_.mki, options_.policy, engine_);
  keys_.Remove(sending_slot_);
  streams_->RetireKey(sending_slot_);
  UseSlot(keys_.Add(std::move(added)));
  return absl::OkStatus();
}

absl::Status SrtpSender::AddKey(const MasterKey& key, const Mki& mki) {
  if (options_.mki.empty()) {
    return absl::FailedPreconditionError("packets carry no MKI: the key can only be replaced");
  }
  if (absl::Status status = keys_.CheckAdd(key, mki); !status.ok()) {
    return status;
  }
  keys_.Add(std::make_unique<LiveKey>(key, mki, options_.policy, engine_));
  return absl::OkStatus();
}

absl::Status SrtpSender::SendWith(const Mki& mki) {
  if (options_.mki.empty()) {
    return absl::FailedPreconditionError("packets carry no MKI: there is one key");
  }
  const size_t slot = keys_.Find(mki.bytes());
  if (slot == KeyRing::kNone) {
    return absl::NotFoundError("no live key has that MKI");
  }
  UseSlot(slot);
  return absl::OkStatus();
}

absl::Status SrtpSender::RetireKey(const Mki& mki) {
  if (options_.mki.empty()) {
    return absl::FailedPreconditionError("packets carry no MKI: there is one key");
  }
  const size_t slot = keys_.Find(mki.bytes());
  if (slot == KeyRing::kNone) {
    return absl::NotFoundError("no live key has that MKI");
  }
  if (slot == sending_slot_) {
    return absl::FailedPreconditionError("that key is the one that is sent with");
  }
  keys_.Remove(slot);
  streams_->RetireKey(slot);
  return absl::OkStatus();
}

std::vector<SenderStreamState> SrtpSender::ExportStreams() const {
  const KeyId key = IdOf(sending_->master());
  std::vector<SenderStreamState> states;
  streams_->table().ForEach([&](Ssrc ssrc, const SenderStream& stream) {
    states.push_back({ssrc, key, std::nullopt, 0});
    stream.Save(states.back());
  });
  return states;
}

absl::Status SrtpSender::RestoreStreams(absl::Span<const SenderStreamState> streams,
                                        const RestoreMargin& margin) {
  if (absl::Status status = CheckMargin(margin); !status.ok()) {
    return status;
  }
  StreamTable<SenderStream>& table = streams_->table();
  if (streams.size() > table.capacity() - table.size()) {
    return absl::InvalidArgumentError(absl::StrCat(streams.size(), " streams, there is room for ",
                                                   table.capacity() - table.size()));
  }
  const KeyId key = IdOf(sending_->master());
  absl::flat_hash_set<Ssrc> ssrcs;
  for (const SenderStreamState& state : streams) {
    if (absl::Status status = CheckState(state, key); !status.ok()) {
      return status;
    }
    if (table.Find(state.ssrc) != nullptr || !ssrcs.insert(state.ssrc).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("stream ", state.ssrc.value(), " is there already"));
    }
  }
  // The most recently used one comes first and is to be so again.
  for (size_t i = streams.size(); i > 0; --i) {
    const SenderStreamState& state = streams[i - 1];
    streams_->FindOrAdd(state.ssrc, sending_slot_)->Restore(state, margin);
    // Which of the other keys it was sent with is not known: any of them.
    for (size_t slot = 0; slot < kMaxLiveKeys; ++slot) {
      if (keys_.key(slot) != nullptr) {
        streams_->FindOrAdd(state.ssrc, slot);
      }
    }
  }
  return absl::OkStatus();
}

uint64_t SrtpSender::forgotten_streams() const { return streams_->forgotten(); }

ProtectVerdict SrtpSender::ChooseShape(const PacketLoan& packet, const RtpPacketView& view,
                                       RtpShape& shape) const {
  if (!HasAnythingToHide(view)) {
    return ProtectVerdict::kOk;
  }
  if (IsCryptex(view)) {
    // A readable extension that looks encrypted: the receiver would find garbage.
    return ProtectVerdict::kCryptexImpossible;
  }
  if (!CanBeCryptex(view) ||
      (NeedsCryptexExtension(view) && packet.headroom() < kRtpExtensionHeaderSize)) {
    return options_.policy.cryptex == CryptexPolicy::kRequired ? ProtectVerdict::kCryptexImpossible
                                                               : ProtectVerdict::kOk;
  }
  shape.cryptex = true;
  return ProtectVerdict::kOk;
}

// Nothing is taken before everything else is known to succeed: an index is spent for good.

ABSL_ATTRIBUTE_ALWAYS_INLINE inline ProtectVerdict SrtpSender::PrepareRtp(PacketLoan& packet,
                                                                          SealBatch& batch) {
  const std::optional<RtpPacketView> view = RtpPacketView::ParseHeader(packet.bytes());
  if (!view.has_value()) {
    return ProtectVerdict::kMalformed;
  }
  if (packet.tailroom() < rtp_layout_.overhead) {
    return ProtectVerdict::kNoTailroom;
  }
  if (sending_->expired(PacketKind::kRtp)) {
    return ProtectVerdict::kRekeyNeeded;
  }
  RtpShape shape = {view->header_size(), view->csrc_count(), false};
  if (options_.policy.cryptex != CryptexPolicy::kOff) {
    if (const ProtectVerdict verdict = ChooseShape(packet, *view, shape);
        verdict != ProtectVerdict::kOk) {
      return verdict;
    }
  }
  const Ssrc ssrc = view->ssrc();
  SenderStream* stream = streams_->FindOrAdd(ssrc, sending_slot_);
  if (stream == nullptr) {
    return ProtectVerdict::kTooManyStreams;
  }
  PacketIndex index(0);
  const ProtectVerdict verdict = stream->TakeRtpIndex(view->sequence_number(), index);
  if (verdict != ProtectVerdict::kOk) {
    return verdict;
  }
  sending_->CountUse(PacketKind::kRtp);
  if (!sending_->HasKeysFor(PacketKind::kRtp, index.value())) {
    // Packets that wait for the keys that are about to go.
    batch.Run();
  }
  const PacketKeys& keys = sending_->KeysFor(PacketKind::kRtp, index.value());
  if (const HeaderExtensionCipher* cipher = sending_->header_cipher()) {
    cipher->Crypt(packet.bytes(), ssrc, index, options_.policy.encrypted_extensions);
  }
  if (shape.cryptex) {
    shape.header_size = MarkCryptex(packet);
  }
  const bool resized = packet.Resize(packet.size() + rtp_layout_.overhead);
  SLUICE_CHECK(resized);
  batch.AddRtp(keys, rtp_layout_, sending_->mki(), packet.bytes(), shape, ssrc, index);
  return ProtectVerdict::kOk;
}

ProtectVerdict SrtpSender::PrepareRtcp(PacketLoan& packet, SealBatch& batch) {
  const std::optional<RtcpPacketView> view = RtcpPacketView::Parse(packet.bytes());
  if (!view.has_value()) {
    return ProtectVerdict::kMalformed;
  }
  if (packet.tailroom() < rtcp_layout_.overhead) {
    return ProtectVerdict::kNoTailroom;
  }
  if (sending_->expired(PacketKind::kRtcp)) {
    return ProtectVerdict::kRekeyNeeded;
  }
  const Ssrc ssrc = view->ssrc();
  SenderStream* stream = streams_->FindOrAdd(ssrc, sending_slot_);
  if (stream == nullptr) {
    return ProtectVerdict::kTooManyStreams;
  }
  SrtcpIndex index(0);
  const ProtectVerdict verdict = stream->TakeRtcpIndex(index);
  if (verdict != ProtectVerdict::kOk) {
    return verdict;
  }
  sending_->CountUse(PacketKind::kRtcp);
  if (!sending_->HasKeysFor(PacketKind::kRtcp, index.value())) {
    batch.Run();
  }
  const PacketKeys& keys = sending_->KeysFor(PacketKind::kRtcp, index.value());
  const bool resized = packet.Resize(packet.size() + rtcp_layout_.overhead);
  SLUICE_CHECK(resized);
  batch.AddRtcp(keys, rtcp_layout_, sending_->mki(), packet.bytes(), ssrc,
                EsrtcpWord{options_.encrypt_rtcp, index});
  return ProtectVerdict::kOk;
}

void Protect(absl::Span<ProtectJob> jobs, CryptoEngine& engine) {
  SealBatch batch(engine);
  for (ProtectJob& job : jobs) {
    if (batch.full()) {
      batch.Run();
    }
    job.verdict = job.kind == PacketKind::kRtp ? job.sender->PrepareRtp(*job.packet, batch)
                                               : job.sender->PrepareRtcp(*job.packet, batch);
  }
  batch.Run();
}

}  // namespace sluice
