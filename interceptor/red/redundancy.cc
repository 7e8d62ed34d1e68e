#include "interceptor/red/redundancy.h"

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "srtp/packet_arena.h"
#include "srtp/rtp_packet_view.h"

namespace sluice {
namespace {

// As many as any chain has.
constexpr size_t kMaxStreams = 1024;

// Null when there is no redundancy.
const PayloadFormat* FindRedundancy(const StreamInfo& info) {
  for (size_t i = 0; i < info.format_count; ++i) {
    if (info.formats[i].role == PayloadRole::kRedundancy) {
      return &info.formats[i];
    }
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Redundancy>> Redundancy::Create(const RedundancyOptions& options) {
  if (options.max_streams < 1 || options.max_streams > kMaxStreams) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_streams is ", options.max_streams, ", want 1..", kMaxStreams));
  }
  if (options.encoder.blocks < 1 || options.encoder.blocks > RedEncoder::kMaxBlocks) {
    return absl::InvalidArgumentError(
        absl::StrCat("blocks is ", options.encoder.blocks, ", want 1..", RedEncoder::kMaxBlocks));
  }
  if (options.encoder.max_packet_size < kRtpFixedHeaderSize ||
      options.encoder.max_packet_size > kMaxDatagramSize) {
    return absl::InvalidArgumentError(absl::StrCat("max_packet_size is ",
                                                   options.encoder.max_packet_size, ", want ",
                                                   kRtpFixedHeaderSize, "..", kMaxDatagramSize));
  }
  return absl::WrapUnique(new Redundancy(options));
}

Redundancy::Redundancy(const RedundancyOptions& options) : decoders_(options.max_streams) {
  encoders_.reserve(options.max_streams);
  for (size_t i = 0; i < options.max_streams; ++i) {
    encoders_.emplace_back(options.encoder);
  }
}

void Redundancy::OnStreamAdded(Timestamp, PacketDirection direction, StreamSlot slot,
                               const StreamInfo& info) {
  const PayloadFormat* format = FindRedundancy(info);
  if (slot.value() >= encoders_.size() || format == nullptr) {
    return;
  }
  if (direction == PacketDirection::kIncoming) {
    decoders_[slot.value()].Begin(info);
  } else {
    encoders_[slot.value()].Begin(format->payload_type, format->associated);
  }
}

void Redundancy::OnStreamRemoved(Timestamp, PacketDirection direction, StreamSlot slot) {
  if (slot.value() >= encoders_.size()) {
    return;
  }
  if (direction == PacketDirection::kIncoming) {
    decoders_[slot.value()].End();
  } else {
    encoders_[slot.value()].End();
  }
}

void Redundancy::OnIncomingRtp(Timestamp, absl::Span<InterceptedRtp> packets,
                               InterceptorOutbox& out) {
  for (InterceptedRtp& packet : packets) {
    if (packet.role != SsrcRole::kMedia || packet.stream.value() >= decoders_.size()) {
      continue;
    }
    RedDecoder& decoder = decoders_[packet.stream.value()];
    if (decoder.active() &&
        decoder.Open(packet, decoder_counters_, out) == RedDecoder::Verdict::kDrop) {
      packet.Take();
    }
  }
}

void Redundancy::OnOutgoingRtp(Timestamp, absl::Span<InterceptedRtp> packets, InterceptorOutbox&) {
  for (InterceptedRtp& packet : packets) {
    if (packet.source != PacketSource::kForwarded || packet.role != SsrcRole::kMedia ||
        packet.stream.value() >= encoders_.size()) {
      continue;
    }
    RedEncoder& encoder = encoders_[packet.stream.value()];
    if (encoder.active()) {
      encoder.Wrap(packet, encoder_counters_);
    }
  }
}

}  // namespace sluice
