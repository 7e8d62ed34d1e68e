#include "srtp/srtp_receiver.h"

#include <optional>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "srtp/cryptex.h"
#include "srtp/crypto/openssl_error.h"
#include "srtp/key_id.h"
#include "srtp/live_key.h"
#include "srtp/open_packet.h"
#include "srtp/packet_index.h"
#include "srtp/receiver_streams.h"
#include "srtp/replay_window.h"
#include "srtp/rtcp_packet_view.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/stream_context.h"

namespace sluice {
namespace {

constexpr size_t kMaxStreams = StreamTable<ReceiverStream>::kMaxCapacity;

absl::Status CheckCount(absl::string_view name, size_t count) {
  if (count < 1 || count > kMaxStreams) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is ", count, ", must be 1..", kMaxStreams));
  }
  return absl::OkStatus();
}

absl::Status CheckWindow(absl::string_view name, size_t size) {
  if (!ReplayWindow::IsValidSize(size)) {
    return absl::InvalidArgumentError(absl::StrCat(name, " is ", size, ", must be a power of two ",
                                                   ReplayWindow::kMinSize, "..",
                                                   ReplayWindow::kMaxSize));
  }
  return absl::OkStatus();
}

absl::Status CheckOptions(const SrtpReceiverOptions& options) {
  absl::Status status = CheckCount("max_streams", options.max_streams);
  if (status.ok()) {
    status = CheckCount("remembered_streams", options.remembered_streams);
  }
  if (status.ok()) {
    status = CheckWindow("rtp_replay_window", options.rtp_replay_window);
  }
  if (status.ok()) {
    status = CheckWindow("rtcp_replay_window", options.rtcp_replay_window);
  }
  return status.ok() ? CheckPolicy(options.policy) : status;
}

// The packet as it came, where a trial that fails destroys it.
class Original {
 public:
  Original(PacketLoan& packet, bool needed, PacketArena& scratch)
      : packet_(packet), needed_(needed) {
    if (needed) {
      copy_ = scratch.LendCopy(packet);
    }
  }

  // After a trial that failed. False when the packet cannot be had back.
  bool Restore() {
    if (copy_) {
      CopyBytes(packet_.bytes(), copy_.bytes());
    }
    return copy_ || !needed_;
  }

 private:
  PacketLoan& packet_;
  const bool needed_;
  PacketLoan copy_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<SrtpReceiver>> SrtpReceiver::Create(
    const MasterKey& key, const SrtpReceiverOptions& options, CryptoEngine& engine) {
  if (absl::Status status = CheckOptions(options); !status.ok()) {
    return status;
  }
  PrepareOpensslErrors();
  return std::unique_ptr<SrtpReceiver>(new SrtpReceiver(key, options, engine));
}

SrtpReceiver::SrtpReceiver(const MasterKey& key, const SrtpReceiverOptions& options,
                           CryptoEngine& engine)
    : engine_(engine),
      options_(options),
      suite_(key.suite()),
      rtp_layout_(LayoutOf(key.suite(), PacketKind::kRtp, options.mki.size())),
      rtcp_layout_(LayoutOf(key.suite(), PacketKind::kRtcp, options.mki.size())),
      streams_(std::make_unique<ReceiverStreams>(options.max_streams, options.rtp_replay_window,
                                                 options.rtcp_replay_window,
                                                 options.remembered_streams)) {
  current_slot_ = keys_.Add(std::make_unique<LiveKey>(key, options.mki, options_.policy, engine));
}

SrtpReceiver::~SrtpReceiver() = default;

absl::Status SrtpReceiver::Rekey(const MasterKey& key) {
  if (!options_.mki.empty()) {
    return absl::FailedPreconditionError("packets carry an MKI: add a key with its own");
  }
  if (absl::Status status = keys_.CheckAdd(key, options_.mki); !status.ok()) {
    return status;
  }
  auto added = std::make_unique<LiveKey>(key, options_.mki, options_.policy, engine_);
  RetirePreviousKey();
  previous_slot_ = std::exchange(current_slot_, keys_.Add(std::move(added)));
  return absl::OkStatus();
}

void SrtpReceiver::RetirePreviousKey() {
  if (previous_slot_ != KeyRing::kNone) {
    keys_.Remove(std::exchange(previous_slot_, KeyRing::kNone));
  }
}

absl::Status SrtpReceiver::AddKey(const MasterKey& key, const Mki& mki) {
  if (options_.mki.empty()) {
    return absl::FailedPreconditionError("packets carry no MKI: the key can only be replaced");
  }
  if (absl::Status status = keys_.CheckAdd(key, mki); !status.ok()) {
    return status;
  }
  keys_.Add(std::make_unique<LiveKey>(key, mki, options_.policy, engine_));
  return absl::OkStatus();
}

absl::Status SrtpReceiver::RetireKey(const Mki& mki) {
  if (options_.mki.empty()) {
    return absl::FailedPreconditionError("packets carry no MKI: only the previous key is retired");
  }
  const size_t slot = keys_.Find(mki.bytes());
  if (slot == KeyRing::kNone) {
    return absl::NotFoundError("no live key has that MKI");
  }
  for (size_t other = 0; other < kMaxLiveKeys; ++other) {
    if (other != slot && keys_.key(other) != nullptr) {
      keys_.Remove(slot);
      current_slot_ = current_slot_ == slot ? other : current_slot_;
      return absl::OkStatus();
    }
  }
  return absl::FailedPreconditionError("that key is the only one");
}

bool SrtpReceiver::rekey_due() const {
  if (options_.mki.empty()) {
    return keys_.key(current_slot_)->rekey_due();
  }
  for (size_t slot = 0; slot < kMaxLiveKeys; ++slot) {
    if (keys_.key(slot) != nullptr && keys_.key(slot)->rekey_due()) {
      return true;
    }
  }
  return false;
}

std::vector<ReceiverStreamState> SrtpReceiver::ExportStreams() const {
  const KeyId key = IdOf(keys_.key(current_slot_)->master());
  std::vector<ReceiverStreamState> states;
  streams_->table().ForEach([&](Ssrc ssrc, const ReceiverStream& stream) {
    states.push_back({ssrc, key, std::nullopt, std::nullopt});
    stream.Save(states.back());
  });
  return states;
}

absl::Status SrtpReceiver::RestoreStreams(absl::Span<const ReceiverStreamState> streams) {
  StreamTable<ReceiverStream>& table = streams_->table();
  if (streams.size() > table.capacity() - table.size()) {
    return absl::InvalidArgumentError(absl::StrCat(streams.size(), " streams, there is room for ",
                                                   table.capacity() - table.size()));
  }
  absl::flat_hash_set<Ssrc> ssrcs;
  for (const ReceiverStreamState& state : streams) {
    if (!keys_.Has(state.key)) {
      return absl::InvalidArgumentError(
          absl::StrCat("stream ", state.ssrc.value(), " was received with another key"));
    }
    if ((state.rtp.has_value() && state.rtp->highest > kMaxPacketIndex.value()) ||
        (state.rtcp.has_value() && state.rtcp->highest > kMaxSrtcpIndex.value())) {
      return absl::InvalidArgumentError(
          absl::StrCat("stream ", state.ssrc.value(), " has an index out of range"));
    }
    if (table.Find(state.ssrc) != nullptr || !ssrcs.insert(state.ssrc).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("stream ", state.ssrc.value(), " is there already"));
    }
  }
  // The most recently used one comes first and is to be so again.
  for (size_t i = streams.size(); i > 0; --i) {
    streams_->Use(streams[i - 1].ssrc).Restore(streams[i - 1]);
  }
  return absl::OkStatus();
}

uint64_t SrtpReceiver::forgotten_streams() const { return streams_->forgotten(); }

ABSL_ATTRIBUTE_ALWAYS_INLINE inline UnprotectVerdict SrtpReceiver::ParseRtp(
    const PacketLoan& packet, Parsed& parsed) const {
  const std::optional<RtpPacketView> view = RtpPacketView::ParseHeader(packet.bytes());
  if (!view.has_value() || packet.size() < view->header_size() + rtp_layout_.overhead) {
    return UnprotectVerdict::kMalformed;
  }
  parsed.ssrc = view->ssrc();
  parsed.sequence = view->sequence_number();
  parsed.shape = {view->header_size(), view->csrc_count(),
                  view->has_extension() && IsCryptex(*view)};
  const CryptexPolicy policy = options_.policy.cryptex;
  if ((parsed.shape.cryptex && policy == CryptexPolicy::kOff) ||
      (policy == CryptexPolicy::kRequired && !parsed.shape.cryptex && HasAnythingToHide(*view))) {
    return UnprotectVerdict::kCryptexRefused;
  }
  return UnprotectVerdict::kOk;
}

UnprotectVerdict SrtpReceiver::ParseRtcp(const PacketLoan& packet, Parsed& parsed) const {
  const std::optional<RtcpPacketView> view = RtcpPacketView::Parse(packet.bytes());
  if (!view.has_value() || packet.size() < kRtcpFirstHeaderSize + rtcp_layout_.overhead) {
    return UnprotectVerdict::kMalformed;
  }
  parsed.ssrc = view->ssrc();
  parsed.word = EsrtcpWord::FromWire(
      LoadBe32(packet.bytes().data() + packet.size() - rtcp_layout_.word_from_end));
  if (!parsed.word.encrypted && !options_.accept_unencrypted_rtcp) {
    return UnprotectVerdict::kUnencrypted;
  }
  return UnprotectVerdict::kOk;
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline UnprotectVerdict SrtpReceiver::ParseHere(
    const PacketLoan& packet, PacketKind kind, Parsed& parsed) const {
  const UnprotectVerdict verdict =
      kind == PacketKind::kRtp ? ParseRtp(packet, parsed) : ParseRtcp(packet, parsed);
  if (verdict != UnprotectVerdict::kOk) {
    return verdict;
  }
  if (options_.mki.empty()) {
    parsed.key = keys_.key(current_slot_);
    parsed.other_key = previous_slot_ == KeyRing::kNone ? nullptr : keys_.key(previous_slot_);
    return UnprotectVerdict::kOk;
  }
  const PacketLayout& where = layout(kind);
  const size_t slot =
      keys_.Find(packet.bytes().subspan(packet.size() - where.mki_from_end, where.mki_size));
  if (slot == KeyRing::kNone) {
    return UnprotectVerdict::kUnknownMki;
  }
  parsed.key = keys_.key(slot);
  parsed.other_key = nullptr;
  return UnprotectVerdict::kOk;
}

UnprotectVerdict SrtpReceiver::Parse(const PacketLoan& packet, PacketKind kind,
                                     Parsed& parsed) const {
  return ParseHere(packet, kind, parsed);
}

// What follows asks the window, authenticates, and only then writes anything down.

ABSL_ATTRIBUTE_ALWAYS_INLINE inline void SrtpReceiver::FinishRtpHere(PacketLoan& packet,
                                                                     const Parsed& parsed,
                                                                     LiveKey& key,
                                                                     PacketIndex index) const {
  key.CountUse(PacketKind::kRtp);
  if (const HeaderExtensionCipher* cipher = key.header_cipher()) {
    cipher->Crypt(packet.bytes(), parsed.ssrc, index, options_.policy.encrypted_extensions);
  }
  if (parsed.shape.cryptex) {
    UnmarkCryptex(packet.bytes());
  }
  const bool resized = packet.Resize(packet.size() - rtp_layout_.overhead);
  SLUICE_CHECK(resized);
}

void SrtpReceiver::FinishRtp(PacketLoan& packet, const Parsed& parsed, LiveKey& key,
                             PacketIndex index) const {
  FinishRtpHere(packet, parsed, key, index);
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline UnprotectVerdict SrtpReceiver::TryRtp(PacketLoan& packet,
                                                                          const Parsed& parsed,
                                                                          LiveKey& key,
                                                                          PacketIndex index,
                                                                          CryptoEngine& engine) {
  if (key.expired(PacketKind::kRtp)) {
    return UnprotectVerdict::kRekeyNeeded;
  }
  return sluice::OpenRtp(engine, key.KeysFor(PacketKind::kRtp, index.value()), rtp_layout_,
                         packet.bytes(), parsed.shape, parsed.ssrc, index)
             ? UnprotectVerdict::kOk
             : UnprotectVerdict::kAuthFailed;
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline UnprotectVerdict SrtpReceiver::OpenRtp(PacketLoan& packet,
                                                                           const Parsed& parsed,
                                                                           PacketArena& scratch,
                                                                           CryptoEngine& engine) {
  ReceiverStream* const stream = streams_->table().Find(parsed.ssrc);
  if (stream == nullptr || !stream->rollover_known() || parsed.other_key != nullptr) {
    return SearchRtp(packet, parsed, scratch, engine);
  }
  // Nearly always there is one thing to try.
  const ReceiverStream::RtpCheck check = stream->CheckRtp(parsed.sequence);
  if (check.verdict != UnprotectVerdict::kOk) {
    return check.verdict;
  }
  const UnprotectVerdict verdict = TryRtp(packet, parsed, *parsed.key, check.index, engine);
  if (verdict == UnprotectVerdict::kOk) {
    streams_->table().Touch(*stream);
    const bool accepted = stream->AcceptRtp(check);
    SLUICE_CHECK(accepted);
    FinishRtpHere(packet, parsed, *parsed.key, check.index);
  }
  return verdict;
}

UnprotectVerdict SrtpReceiver::SearchRtp(PacketLoan& packet, const Parsed& parsed,
                                         PacketArena& scratch, CryptoEngine& engine) {
  const ReceiverStream& stream = streams_->Look(parsed.ssrc);
  Original original(packet, suite_.aead(), scratch);
  UnprotectVerdict verdict = UnprotectVerdict::kAuthFailed;
  // The nearest index first, and where a rollover may have been missed the one after it. The one
  // before it needs no trial: it is half the sequence numbers away, left of the largest window.
  for (const int rollovers : {0, 1}) {
    const ReceiverStream::RtpCheck check = stream.CheckRtp(parsed.sequence, rollovers);
    if (rollovers == 0) {
      verdict = check.verdict;
    }
    for (LiveKey* key = parsed.key; key != nullptr; key = parsed.KeyAfter(key)) {
      if (check.verdict != UnprotectVerdict::kOk) {
        break;
      }
      const bool tried = verdict == UnprotectVerdict::kAuthFailed;
      if (tried && key->expired(PacketKind::kRtp)) {
        continue;
      }
      if (tried && !original.Restore()) {
        return UnprotectVerdict::kNoScratch;
      }
      verdict = TryRtp(packet, parsed, *key, check.index, engine);
      if (verdict == UnprotectVerdict::kOk) {
        const bool accepted = streams_->Use(parsed.ssrc).AcceptRtp(check);
        SLUICE_CHECK(accepted);
        FinishRtp(packet, parsed, *key, check.index);
        return verdict;
      }
    }
    if (stream.rollover_known()) {
      break;
    }
  }
  return verdict;
}

UnprotectVerdict SrtpReceiver::Open(PacketLoan& packet, PacketKind kind, const Parsed& parsed,
                                    PacketArena& scratch, CryptoEngine& engine) {
  return kind == PacketKind::kRtp ? OpenRtp(packet, parsed, scratch, engine)
                                  : OpenRtcp(packet, parsed, scratch, engine);
}

void SrtpReceiver::OpenAlone(UnprotectJob& job, PacketArena& scratch, CryptoEngine& engine) {
  Parsed parsed = kNothing;
  job.verdict = ParseHere(*job.packet, job.kind, parsed);
  if (job.verdict != UnprotectVerdict::kOk) {
    return;
  }
  job.verdict = job.kind == PacketKind::kRtp ? OpenRtp(*job.packet, parsed, scratch, engine)
                                             : OpenRtcp(*job.packet, parsed, scratch, engine);
}

UnprotectVerdict SrtpReceiver::OpenRtcp(PacketLoan& packet, const Parsed& parsed,
                                        PacketArena& scratch, CryptoEngine& engine) {
  const uint64_t index = parsed.word.index.value();
  const ReceiverStream::RtcpCheck check = streams_->Look(parsed.ssrc).CheckRtcp(parsed.word.index);
  if (check.verdict != UnprotectVerdict::kOk) {
    return check.verdict;
  }
  UnprotectVerdict verdict = UnprotectVerdict::kRekeyNeeded;
  Original original(packet, suite_.aead() && parsed.other_key != nullptr, scratch);
  for (LiveKey* key = parsed.key; key != nullptr; key = parsed.KeyAfter(key)) {
    if (key->expired(PacketKind::kRtcp)) {
      continue;
    }
    if (verdict == UnprotectVerdict::kAuthFailed && !original.Restore()) {
      return UnprotectVerdict::kNoScratch;
    }
    if (sluice::OpenRtcp(engine, key->KeysFor(PacketKind::kRtcp, index), rtcp_layout_,
                         packet.bytes(), parsed.ssrc, parsed.word)) {
      const bool accepted = streams_->Use(parsed.ssrc).AcceptRtcp(check);
      SLUICE_CHECK(accepted);
      FinishRtcp(packet, *key);
      return UnprotectVerdict::kOk;
    }
    verdict = UnprotectVerdict::kAuthFailed;
  }
  return verdict;
}

void SrtpReceiver::FinishRtcp(PacketLoan& packet, LiveKey& key) const {
  key.CountUse(PacketKind::kRtcp);
  const bool resized = packet.Resize(packet.size() - rtcp_layout_.overhead);
  SLUICE_CHECK(resized);
}

}  // namespace sluice
