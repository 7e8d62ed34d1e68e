#include "srtp/srtp_sender.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "srtp/esrtcp_word.h"
#include "srtp/packet_cipher.h"
#include "srtp/replay_window.h"
#include "srtp/rtcp_packet_view.h"
#include "srtp/rtp_packet_view.h"
#include "srtp/rtp_types.h"
#include "srtp/stream_context.h"
#include "srtp/stream_table.h"

namespace sluice {

// The streams of a sender and the memory of their windows.
class SenderStreams {
 public:
  explicit SenderStreams(const SrtpSenderOptions& options)
      : words_(options.max_streams * ReplayWindow::WordCount(options.replay_window)),
        table_(options.max_streams, [&](size_t i) {
          const size_t count = ReplayWindow::WordCount(options.replay_window);
          return SenderStream(absl::MakeSpan(words_).subspan(i * count, count));
        }) {}

  // The stream of an SSRC about to send, made if need be; nullptr when there is no place that can
  // be given away.
  SenderStream* FindOrAdd(Ssrc ssrc) {
    SenderStream* stream = table_.Find(ssrc);
    if (stream != nullptr) {
      table_.Touch(*stream);
    } else {
      if (table_.full()) {
        SenderStream& oldest = table_.least_recently_used();
        if (oldest.key_generation == key_generation_) {
          return nullptr;
        }
        table_.Remove(oldest);
      }
      stream = &table_.Add(ssrc);
    }
    stream->key_generation = key_generation_;
    return stream;
  }

  // What sent up to now sent with another key.
  void StartKey() { ++key_generation_; }

 private:
  std::vector<uint64_t> words_;
  StreamTable<SenderStream> table_;
  // 2^32 keys do not come in the life of a sender.
  uint32_t key_generation_ = 0;
};

absl::StatusOr<std::unique_ptr<SrtpSender>> SrtpSender::Create(const MasterKey& key,
                                                               const SrtpSenderOptions& options) {
  if (!PacketCipher::Supports(key.suite())) {
    return absl::UnimplementedError(absl::StrCat("no cipher for ", key.suite().name));
  }
  if (options.max_streams < 1 || options.max_streams > StreamTable<SenderStream>::kMaxCapacity) {
    return absl::InvalidArgumentError(absl::StrCat("max_streams is ", options.max_streams,
                                                   ", must be 1..",
                                                   StreamTable<SenderStream>::kMaxCapacity));
  }
  if (!ReplayWindow::IsValidSize(options.replay_window)) {
    return absl::InvalidArgumentError(
        absl::StrCat("replay_window is ", options.replay_window, ", must be a power of two ",
                     ReplayWindow::kMinSize, "..", ReplayWindow::kMaxSize));
  }
  return std::unique_ptr<SrtpSender>(new SrtpSender(key, options));
}

SrtpSender::SrtpSender(const MasterKey& key, const SrtpSenderOptions& options)
    : key_(key.Clone()),
      cipher_(std::make_unique<PacketCipher>(key)),
      streams_(std::make_unique<SenderStreams>(options)) {}

SrtpSender::~SrtpSender() = default;

absl::Status SrtpSender::Rekey(const MasterKey& key) {
  if (key.suite().id != key_.suite().id) {
    return absl::InvalidArgumentError(
        absl::StrCat("new key is of ", key.suite().name, ", sender has ", key_.suite().name));
  }
  if (key == key_) {
    return absl::InvalidArgumentError("new key is the present one");
  }
  cipher_ = std::make_unique<PacketCipher>(key);
  key_ = key.Clone();
  streams_->StartKey();
  return absl::OkStatus();
}

// Nothing is taken before everything else is known to succeed: an index is spent for good.

ProtectVerdict SrtpSender::ProtectRtp(PacketLoan& packet) {
  const std::optional<RtpPacketView> view = RtpPacketView::ParseHeader(packet.bytes());
  if (!view.has_value()) {
    return ProtectVerdict::kMalformed;
  }
  const size_t overhead = cipher_->overhead(PacketKind::kRtp);
  if (packet.tailroom() < overhead) {
    return ProtectVerdict::kNoTailroom;
  }
  SenderStream* stream = streams_->FindOrAdd(view->ssrc());
  if (stream == nullptr) {
    return ProtectVerdict::kTooManyStreams;
  }
  PacketIndex index(0);
  const ProtectVerdict verdict = stream->TakeRtpIndex(view->sequence_number(), index);
  if (verdict != ProtectVerdict::kOk) {
    return verdict;
  }
  const bool resized = packet.Resize(packet.size() + overhead);
  SLUICE_CHECK(resized);
  cipher_->SealRtp(packet.bytes(), view->header_size(), view->ssrc(), index);
  return ProtectVerdict::kOk;
}

ProtectVerdict SrtpSender::ProtectRtcp(PacketLoan& packet) {
  const std::optional<RtcpPacketView> view = RtcpPacketView::Parse(packet.bytes());
  if (!view.has_value()) {
    return ProtectVerdict::kMalformed;
  }
  const size_t overhead = cipher_->overhead(PacketKind::kRtcp);
  if (packet.tailroom() < overhead) {
    return ProtectVerdict::kNoTailroom;
  }
  SenderStream* stream = streams_->FindOrAdd(view->ssrc());
  if (stream == nullptr) {
    return ProtectVerdict::kTooManyStreams;
  }
  SrtcpIndex index(0);
  const ProtectVerdict verdict = stream->TakeRtcpIndex(index);
  if (verdict != ProtectVerdict::kOk) {
    return verdict;
  }
  const bool resized = packet.Resize(packet.size() + overhead);
  SLUICE_CHECK(resized);
  cipher_->SealRtcp(packet.bytes(), view->ssrc(), EsrtcpWord{true, index});
  return ProtectVerdict::kOk;
}

void Protect(absl::Span<ProtectJob> jobs) {
  for (ProtectJob& job : jobs) {
    job.verdict = job.kind == PacketKind::kRtp ? job.sender->ProtectRtp(*job.packet)
                                               : job.sender->ProtectRtcp(*job.packet);
  }
}

}  // namespace sluice
