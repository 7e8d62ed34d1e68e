#include "srtp/srtp_receiver.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/byte_order.h"
#include "base/check.h"
#include "srtp/crypto/openssl_error.h"
#include "srtp/esrtcp_word.h"
#include "srtp/packet_cipher.h"
#include "srtp/replay_window.h"
#include "srtp/rtcp_packet_view.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/rtp_types.h"
#include "srtp/stream_context.h"
#include "srtp/stream_table.h"

namespace sluice {

// The streams of a receiver and the memory of their windows.
class ReceiverStreams {
 public:
  explicit ReceiverStreams(const SrtpReceiverOptions& options)
      : rtp_words_per_stream_(ReplayWindow::WordCount(options.rtp_replay_window)),
        rtcp_words_per_stream_(ReplayWindow::WordCount(options.rtcp_replay_window)),
        // One more than streams, for `unknown_`.
        rtp_words_((options.max_streams + 1) * rtp_words_per_stream_),
        rtcp_words_((options.max_streams + 1) * rtcp_words_per_stream_),
        table_(options.max_streams, [this](size_t i) { return MakeStream(i); }),
        unknown_(MakeStream(options.max_streams)) {}

  // What is known of an SSRC: nothing, if no packet of it authenticated.
  const ReceiverStream& Look(Ssrc ssrc) {
    const ReceiverStream* stream = table_.Find(ssrc);
    return stream != nullptr ? *stream : unknown_;
  }

  // The stream of an SSRC of which a packet just authenticated, made if need be.
  ReceiverStream& Use(Ssrc ssrc) {
    if (ReceiverStream* stream = table_.Find(ssrc)) {
      table_.Touch(*stream);
      return *stream;
    }
    if (table_.full()) {
      table_.Remove(table_.least_recently_used());
    }
    return table_.Add(ssrc);
  }

 private:
  ReceiverStream MakeStream(size_t i) {
    return ReceiverStream(
        absl::MakeSpan(rtp_words_).subspan(i * rtp_words_per_stream_, rtp_words_per_stream_),
        absl::MakeSpan(rtcp_words_).subspan(i * rtcp_words_per_stream_, rtcp_words_per_stream_));
  }

  const size_t rtp_words_per_stream_;
  const size_t rtcp_words_per_stream_;
  std::vector<uint64_t> rtp_words_;
  std::vector<uint64_t> rtcp_words_;
  StreamTable<ReceiverStream> table_;
  // Always empty: an unknown SSRC is checked against it.
  const ReceiverStream unknown_;
};

namespace {

absl::Status CheckWindow(absl::string_view name, size_t size) {
  if (!ReplayWindow::IsValidSize(size)) {
    return absl::InvalidArgumentError(absl::StrCat(name, " is ", size, ", must be a power of two ",
                                                   ReplayWindow::kMinSize, "..",
                                                   ReplayWindow::kMaxSize));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<SrtpReceiver>> SrtpReceiver::Create(
    const MasterKey& key, const SrtpReceiverOptions& options) {
  if (!PacketCipher::Supports(key.suite())) {
    return absl::UnimplementedError(absl::StrCat("no cipher for ", key.suite().name));
  }
  if (options.max_streams < 1 || options.max_streams > StreamTable<ReceiverStream>::kMaxCapacity) {
    return absl::InvalidArgumentError(absl::StrCat("max_streams is ", options.max_streams,
                                                   ", must be 1..",
                                                   StreamTable<ReceiverStream>::kMaxCapacity));
  }
  if (absl::Status status = CheckWindow("rtp_replay_window", options.rtp_replay_window);
      !status.ok()) {
    return status;
  }
  if (absl::Status status = CheckWindow("rtcp_replay_window", options.rtcp_replay_window);
      !status.ok()) {
    return status;
  }
  PrepareOpensslErrors();
  return std::unique_ptr<SrtpReceiver>(new SrtpReceiver(key, options));
}

SrtpReceiver::SrtpReceiver(const MasterKey& key, const SrtpReceiverOptions& options)
    : key_(key.Clone()),
      cipher_(std::make_unique<PacketCipher>(key)),
      streams_(std::make_unique<ReceiverStreams>(options)),
      accept_unencrypted_rtcp_(options.accept_unencrypted_rtcp) {}

SrtpReceiver::~SrtpReceiver() = default;

absl::Status SrtpReceiver::Rekey(const MasterKey& key) {
  if (key.suite().id != key_.suite().id) {
    return absl::InvalidArgumentError(
        absl::StrCat("new key is of ", key.suite().name, ", receiver has ", key_.suite().name));
  }
  if (key == key_) {
    return absl::InvalidArgumentError("new key is the present one");
  }
  previous_cipher_ = std::exchange(cipher_, std::make_unique<PacketCipher>(key));
  key_ = key.Clone();
  return absl::OkStatus();
}

void SrtpReceiver::RetirePreviousKey() { previous_cipher_.reset(); }

template <typename Open>
UnprotectVerdict SrtpReceiver::TryKeys(PacketLoan& packet, PacketArena& scratch, Open open) {
  if (previous_cipher_ == nullptr) {
    return open(*cipher_) ? UnprotectVerdict::kOk : UnprotectVerdict::kAuthFailed;
  }
  if (!cipher_->failed_open_destroys()) {
    return open(*cipher_) || open(*previous_cipher_) ? UnprotectVerdict::kOk
                                                     : UnprotectVerdict::kAuthFailed;
  }
  const PacketLoan original = scratch.LendCopy(packet);
  if (!original) {
    return UnprotectVerdict::kNoScratch;
  }
  if (open(*cipher_)) {
    return UnprotectVerdict::kOk;
  }
  CopyBytes(packet.bytes(), original.bytes());
  return open(*previous_cipher_) ? UnprotectVerdict::kOk : UnprotectVerdict::kAuthFailed;
}

// Both go parse, estimate index, ask the window, authenticate, and only then write anything down.

UnprotectVerdict SrtpReceiver::UnprotectRtp(PacketLoan& packet, PacketArena& scratch) {
  const std::optional<RtpPacketView> view = RtpPacketView::ParseHeader(packet.bytes());
  const size_t overhead = cipher_->overhead(PacketKind::kRtp);
  if (!view.has_value() || packet.size() < view->header_size() + overhead) {
    return UnprotectVerdict::kMalformed;
  }
  const Ssrc ssrc = view->ssrc();
  const ReceiverStream::RtpCheck check = streams_->Look(ssrc).CheckRtp(view->sequence_number());
  if (check.verdict != UnprotectVerdict::kOk) {
    return check.verdict;
  }
  const UnprotectVerdict opened = TryKeys(packet, scratch, [&](const PacketCipher& cipher) {
    return cipher.OpenRtp(packet.bytes(), view->header_size(), ssrc, check.index);
  });
  if (opened != UnprotectVerdict::kOk) {
    return opened;
  }
  const bool accepted = streams_->Use(ssrc).AcceptRtp(check);
  const bool resized = packet.Resize(packet.size() - overhead);
  SLUICE_CHECK(accepted && resized);
  return UnprotectVerdict::kOk;
}

UnprotectVerdict SrtpReceiver::UnprotectRtcp(PacketLoan& packet, PacketArena& scratch) {
  const std::optional<RtcpPacketView> view = RtcpPacketView::Parse(packet.bytes());
  const size_t overhead = cipher_->overhead(PacketKind::kRtcp);
  if (!view.has_value() || packet.size() < kRtcpFirstHeaderSize + overhead) {
    return UnprotectVerdict::kMalformed;
  }
  const Ssrc ssrc = view->ssrc();
  const EsrtcpWord word = ReadEsrtcpWord(cipher_->suite(), packet.bytes());
  if (!word.encrypted && !accept_unencrypted_rtcp_) {
    return UnprotectVerdict::kUnencrypted;
  }
  const ReceiverStream::RtcpCheck check = streams_->Look(ssrc).CheckRtcp(word.index);
  if (check.verdict != UnprotectVerdict::kOk) {
    return check.verdict;
  }
  const UnprotectVerdict opened = TryKeys(packet, scratch, [&](const PacketCipher& cipher) {
    return cipher.OpenRtcp(packet.bytes(), ssrc, word);
  });
  if (opened != UnprotectVerdict::kOk) {
    return opened;
  }
  const bool accepted = streams_->Use(ssrc).AcceptRtcp(check);
  const bool resized = packet.Resize(packet.size() - overhead);
  SLUICE_CHECK(accepted && resized);
  return UnprotectVerdict::kOk;
}

void Unprotect(absl::Span<UnprotectJob> jobs, PacketArena& scratch) {
  for (UnprotectJob& job : jobs) {
    job.verdict = job.kind == PacketKind::kRtp ? job.receiver->UnprotectRtp(*job.packet, scratch)
                                               : job.receiver->UnprotectRtcp(*job.packet, scratch);
  }
}

}  // namespace sluice
