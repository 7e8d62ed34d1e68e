#include "interceptor/fec/forward_error_correction.h"

#include <algorithm>
#include <cstdint>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "interceptor/fec/flexfec_header.h"

namespace sluice {
namespace {

// As many as any chain has.
constexpr size_t kMaxStreams = 1024;

bool IsPacketSize(size_t size) { return size >= kRtpFixedHeaderSize && size <= kMaxProtectedSize; }

// The format of repair packets; null when there is no repair stream.
const PayloadFormat* FindRepair(const StreamInfo& info) {
  if (!info.repair_ssrc.has_value()) {
    return nullptr;
  }
  for (size_t i = 0; i < info.format_count; ++i) {
    if (info.formats[i].role == PayloadRole::kForwardErrorCorrection) {
      return &info.formats[i];
    }
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ForwardErrorCorrection>> ForwardErrorCorrection::Create(
    const ForwardErrorCorrectionOptions& options, RandomSource& random) {
  if (options.max_streams < 1 || options.max_streams > kMaxStreams) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_streams is ", options.max_streams, ", want 1..", kMaxStreams));
  }
  const ParityLayout& layout = options.encoder.layout;
  if (!layout.IsValid()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the layout has ", layout.rows, " rows of ", layout.columns, ", want at most ",
        PacketMask::kMaxPackets, " packets, parity of rows, or of columns of at least two"));
  }
  if (options.encoder.max_delay <= TimeDelta::Zero()) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_delay is ", options.encoder.max_delay, ", want more than 0"));
  }
  for (const size_t size : {options.encoder.max_packet_size, options.decoder.max_packet_size}) {
    if (!IsPacketSize(size)) {
      return absl::InvalidArgumentError(absl::StrCat("max_packet_size is ", size, ", want ",
                                                     kRtpFixedHeaderSize, "..", kMaxProtectedSize));
    }
  }
  if (options.decoder.media_packets < ReceivedMedia::kMinPackets ||
      options.decoder.media_packets > ReceivedMedia::kMaxPackets) {
    return absl::InvalidArgumentError(
        absl::StrCat("media_packets is ", options.decoder.media_packets, ", want ",
                     ReceivedMedia::kMinPackets, "..", ReceivedMedia::kMaxPackets));
  }
  if (options.decoder.parity_packets < 1 ||
      options.decoder.parity_packets > ParityDecoder::kMaxParities) {
    return absl::InvalidArgumentError(absl::StrCat("parity_packets is ",
                                                   options.decoder.parity_packets, ", want 1..",
                                                   ParityDecoder::kMaxParities));
  }
  return absl::WrapUnique(new ForwardErrorCorrection(options, random));
}

ForwardErrorCorrection::ForwardErrorCorrection(const ForwardErrorCorrectionOptions& options,
                                               RandomSource& random)
    : numbers_(options.max_streams, random),
      numberings_(options.max_streams, nullptr),
      incoming_(options.max_streams),
      decoder_(options.max_streams, options.decoder) {
  encoders_.reserve(options.max_streams);
  for (size_t i = 0; i < options.max_streams; ++i) {
    encoders_.emplace_back(options.encoder);
  }
}

void ForwardErrorCorrection::OnStreamAdded(Timestamp now, PacketDirection direction,
                                           StreamSlot slot, const StreamInfo& info) {
  if (slot.value() >= encoders_.size()) {
    return;
  }
  if (direction == PacketDirection::kIncoming) {
    incoming_[slot.value()] = info;
  }
  const PayloadFormat* format = FindRepair(info);
  if (format == nullptr) {
    return;
  }
  OnStreamRemoved(now, direction, slot);
  if (direction == PacketDirection::kIncoming) {
    decoder_.AddStream(slot, info);
    return;
  }
  numberings_[slot.value()] = &numbers_.Begin(*info.repair_ssrc);
  encoders_[slot.value()].Begin(info, {*format, numberings_[slot.value()]});
}

void ForwardErrorCorrection::OnStreamJoined(Timestamp now, PacketDirection direction,
                                            StreamSlot slot, SsrcRole role, Ssrc ssrc) {
  if (direction == PacketDirection::kIncoming && role == SsrcRole::kForwardErrorCorrection &&
      slot.value() < incoming_.size()) {
    StreamInfo info = incoming_[slot.value()];
    info.repair_ssrc = ssrc;
    OnStreamAdded(now, direction, slot, info);
  }
}

std::optional<Ssrc> ForwardErrorCorrection::ProtectedSsrc(const RtpPacketView& repair) {
  const FlexFecPacket packet = ReadFlexFec(repair.payload_without_padding());
  return packet.verdict == FlexFecVerdict::kOk ? std::optional(packet.header.protected_ssrc)
                                               : std::nullopt;
}

void ForwardErrorCorrection::OnStreamRemoved(Timestamp, PacketDirection direction,
                                             StreamSlot slot) {
  if (slot.value() >= encoders_.size()) {
    return;
  }
  if (direction == PacketDirection::kIncoming) {
    decoder_.RemoveStream(slot);
    return;
  }
  encoders_[slot.value()].End();
  RepairNumbering*& numbering = numberings_[slot.value()];
  if (numbering != nullptr) {
    numbers_.End(*numbering);
    numbering = nullptr;
  }
}

void ForwardErrorCorrection::OnIncomingRtp(Timestamp, absl::Span<InterceptedRtp> packets,
                                           InterceptorOutbox& out) {
  for (InterceptedRtp& packet : packets) {
    if (packet.stream.value() >= encoders_.size() || !decoder_.HasStream(packet.stream)) {
      continue;
    }
    if (packet.role == SsrcRole::kForwardErrorCorrection) {
      const PacketLoan parity = packet.Take();
      decoder_.OnParity(packet.stream, packet.view, out);
    } else if (packet.role == SsrcRole::kMedia &&
               decoder_.OnMedia(packet.stream, packet.view, out) ==
                   ParityDecoder::MediaVerdict::kAlreadyRecovered) {
      packet.Take();
    }
  }
}

void ForwardErrorCorrection::OnOutgoingRtp(Timestamp now, absl::Span<InterceptedRtp> packets,
                                           InterceptorOutbox& out) {
  for (const InterceptedRtp& packet : packets) {
    // What is repeated was protected the first time.
    if (packet.source != PacketSource::kForwarded || packet.role != SsrcRole::kMedia ||
        packet.stream.value() >= encoders_.size()) {
      continue;
    }
    ParityEncoder& encoder = encoders_[packet.stream.value()];
    if (encoder.active()) {
      encoder.Add(now, packet.view, encoder_counters_, out);
    }
  }
}

void ForwardErrorCorrection::OnTimeout(Timestamp now, InterceptorOutbox& out) {
  for (ParityEncoder& encoder : encoders_) {
    if (encoder.deadline() <= now) {
      encoder.Finish(now, encoder_counters_, out);
    }
  }
}

Timestamp ForwardErrorCorrection::NextTimeout() const {
  Timestamp next = Timestamp::PlusInfinity();
  for (const ParityEncoder& encoder : encoders_) {
    next = std::min(next, encoder.deadline());
  }
  return next;
}

}  // namespace sluice
